"""Better or worse: outputs beside references, and pairs of outputs before a judge."""
