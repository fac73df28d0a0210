"""Messages about a gate's decision to webhooks."""
