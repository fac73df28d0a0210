"""Statistics of surveys: weights, designs, estimates of many columns by groups, differences and tests."""
