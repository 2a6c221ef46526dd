import type { Migration } from '../base/sqlite.ts'
import { groups_migration } from './schema-groups.ts'

/**
 * What the service knows. Times are Unix milliseconds. `seq` is the order of making: lists go by it and it is never used
 * twice, so that a cursor keeps its place.
 */
export const service_migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE projects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Only the SHA-256 of a token is kept. every_project: 1, or its projects stand in token_projects.
CREATE TABLE tokens (
  seq INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL UNIQUE,
  every_project INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE token_projects (
  token INTEGER NOT NULL REFERENCES tokens(seq) ON DELETE CASCADE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  PRIMARY KEY (token, project)
) STRICT, WITHOUT ROWID;

-- md5 and size_in_bytes are those of the stored object, once it was accepted at complete.
CREATE TABLE assets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  asset_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  name TEXT,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('uploaded', 'ingesting', 'ready', 'failed')),
  declared_md5 TEXT,
  md5 TEXT,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  ingest_due_ms INTEGER
) STRICT;
CREATE INDEX assets_in_project ON assets (project);
CREATE INDEX assets_by_content ON assets (project, md5) WHERE md5 IS NOT NULL;
CREATE INDEX assets_reserved ON assets (project, declared_md5, expires_at_ms) WHERE status = 'uploaded';
CREATE INDEX assets_to_ingest ON assets (ingest_due_ms) WHERE status = 'ingesting';

-- The stored bytes of an asset: here when they are few, otherwise in a file of the objects folder.
CREATE TABLE objects (
  asset INTEGER PRIMARY KEY REFERENCES assets(seq) ON DELETE CASCADE,
  size_in_bytes INTEGER NOT NULL,
  md5 TEXT NOT NULL,
  bytes BLOB,
  file TEXT,
  CHECK ((bytes IS NULL) <> (file IS NULL))
) STRICT;
CREATE INDEX objects_in_files ON objects (file) WHERE file IS NOT NULL;

-- Removed assets whose passages still stand in the index.
CREATE TABLE assets_to_forget (asset INTEGER PRIMARY KEY) STRICT;

CREATE TABLE labels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  label_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  color TEXT,
  icon TEXT,
  UNIQUE (project, name)
) STRICT;
CREATE TABLE asset_labels (
  asset INTEGER NOT NULL REFERENCES assets(seq) ON DELETE CASCADE,
  label INTEGER NOT NULL REFERENCES labels(seq) ON DELETE CASCADE,
  PRIMARY KEY (asset, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_labels_by_label ON asset_labels (label);

CREATE TABLE chats (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  title TEXT,
  created_at_ms INTEGER NOT NULL,
  modified_at_ms INTEGER
) STRICT;
CREATE INDEX chats_in_project ON chats (project);

-- scope: the scope of the turn as JSON, NULL for the whole project.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE,
  chat INTEGER NOT NULL REFERENCES chats(seq) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  answer_due_ms INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  scope TEXT,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'error')),
  response TEXT
) STRICT;
CREATE INDEX messages_in_chat ON messages (chat);
CREATE INDEX messages_to_answer ON messages (answer_due_ms) WHERE status = 'running';

-- Where removed items stood in their lists, so that a page can still start behind one that was removed meanwhile.
CREATE TABLE removed (
  id TEXT PRIMARY KEY,
  project INTEGER NOT NULL,
  position ANY NOT NULL
) STRICT, WITHOUT ROWID;
`,
  },
  groups_migration,
]

/** Passages of ready assets, for the assistant. Made from the objects: it could be made again. */
export const passage_migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE VIRTUAL TABLE passages USING fts5 (
  text, asset UNINDEXED, project UNINDEXED,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Every asset that was read, and its rows, which lie together: first to last rowid, none where last is smaller.
CREATE TABLE spans (asset INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
`,
  },
]
