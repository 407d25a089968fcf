"""One module per area, each with a `router`."""

from nocturne_pages.routes import home

ROUTERS = (home.router,)
