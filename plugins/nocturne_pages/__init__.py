"""The data stewards' pages, served by Airflow's API server: routes and templates; the content is `deid`'s."""
