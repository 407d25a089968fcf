"""From staged to published: who may decide (permissions), when a person must (policies), what people answer (answers,
questions), when it is late (lateness), what is done (actions)."""
