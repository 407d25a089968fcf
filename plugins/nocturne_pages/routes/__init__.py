"""One module per area, each with a `router`."""

from nocturne_pages.routes import home, overview, releases

ROUTERS = (home.router, overview.router, releases.router)
