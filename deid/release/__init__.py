"""From staged to published: who may decide (permissions), when a person must (policies), what is done (actions)."""
