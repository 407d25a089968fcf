"""Schemas of the product's database: migrations, roles and logins, and facts about a server as a role sees it."""
