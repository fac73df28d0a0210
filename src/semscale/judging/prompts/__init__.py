"""What a judge reads: the template, the words around it, and the texts made safe to read."""
