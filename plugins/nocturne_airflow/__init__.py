"""What the DAG files share, and the guard on what Airflow may remember. Imported by every component: keep it light."""
