-- outbox.db: the changes that tx watch --forward-to saw. Unlike the mirror it cannot be fetched again.
CREATE TABLE IF NOT EXISTS followed (base TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (base, id)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deliveries (
  seq INTEGER PRIMARY KEY,
  base TEXT NOT NULL,
  target TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  direction TEXT NOT NULL,
  body TEXT NOT NULL,
  delivered_at TEXT,
  UNIQUE (base, target, id, status)
) STRICT;
CREATE INDEX IF NOT EXISTS deliveries_pending ON deliveries (base, target, seq) WHERE delivered_at IS NULL;
