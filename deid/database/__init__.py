"""PostgreSQL: connections, named statements and COPY, the server that comes with Python."""
