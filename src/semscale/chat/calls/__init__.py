"""One call to a chat model: its limits, its retries, and the parameters that the model takes."""
