"""Known damage to runs, with which a gate is tested: harmful changes, and harmless ones."""
