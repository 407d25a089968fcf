"""What is known of a text before anybody looks for mentions: its language, its case, its parts of speech."""
