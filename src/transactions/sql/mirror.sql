-- mirror.db: what was last seen of the transactions of each base URL. All but the times when they were first seen can be fetched again.
CREATE TABLE IF NOT EXISTS transactions (
  seq INTEGER PRIMARY KEY,
  base TEXT NOT NULL,
  id TEXT NOT NULL,
  flow TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  status_conflict TEXT,
  detailed INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  phone_back TEXT,
  seen_at TEXT,
  UNIQUE (base, id)
) STRICT;
CREATE INDEX IF NOT EXISTS transactions_due ON transactions (base, seq) WHERE detailed = 0 OR state = 'open';
CREATE INDEX IF NOT EXISTS transactions_flow ON transactions (base, flow);
CREATE INDEX IF NOT EXISTS transactions_phone ON transactions (base, phone_back) WHERE phone_back IS NOT NULL;
CREATE TABLE IF NOT EXISTS tokens (base TEXT NOT NULL, token TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (base, token, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS syncs (base TEXT PRIMARY KEY, synced_at TEXT) STRICT;
