"""Code that the DAG files share, and the guard on XCom. Every component of Airflow imports it: keep it light."""
