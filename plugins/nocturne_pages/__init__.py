"""The data stewards' pages, served by Airflow's API server: routes and templates; what they show is `deid`'s."""
