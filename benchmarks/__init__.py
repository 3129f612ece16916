"""What pisess takes for its work, in ratios to what others take for the same; README.md tells how to read them."""
