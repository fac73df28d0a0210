"""What coded answers come to: shares, tests, agreement, pairs, quotes and drivers."""
