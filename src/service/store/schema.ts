import type { Migration } from '../../base/files/sqlite.ts'

/**
 * The database of the service. Times are Unix milliseconds. `seq` is the order of creation; lists
 * use it. A table with pages never uses a number twice, so a cursor keeps its position. (`tokens`
 * has no pages and may use one again.)
 */
export const service_migrations: readonly Migration[] = [
  {
    version: 6,
    sql: `
-- An organisation holds workspaces, a workspace holds projects: both follow from the project (A-06), and are never sent.
CREATE TABLE organisations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE workspaces (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  organisation INTEGER NOT NULL REFERENCES organisations(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (organisation, name)
) STRICT;
INSERT INTO organisations (seq, name, created_at_ms) VALUES (1, 'default', 0);
INSERT INTO workspaces (seq, organisation, name, created_at_ms) VALUES (1, 1, 'default', 0);

CREATE TABLE users (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT,
  created_at_ms INTEGER NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces(seq)
) STRICT;
CREATE TABLE members (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  user INTEGER NOT NULL REFERENCES users(seq) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'collaborator', 'reader')),
  join_method TEXT NOT NULL CHECK (join_method IN ('created', 'invited', 'added')),
  added_at_ms INTEGER NOT NULL,
  UNIQUE (project, user)
) STRICT;
CREATE INDEX members_by_user ON members (user);
-- hash: the SHA-256 of the secret in the link. every_project: of the token that the invited person gets.
CREATE TABLE invitations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  invitation_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'collaborator', 'reader')),
  hash BLOB NOT NULL UNIQUE,
  every_project INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  UNIQUE (project, email)
) STRICT;
-- The address of the API for clients, as the service used it last. A command that invites somebody needs it for the link.
CREATE TABLE address (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), api TEXT NOT NULL) STRICT;

-- Only the SHA-256 of a token is kept. every_project: 1, or its projects stand in token_projects. One of a user reaches what its user
-- is a member of; one of nobody reaches what it was made for, as an owner.
CREATE TABLE tokens (
  seq INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL UNIQUE,
  every_project INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  user INTEGER REFERENCES users(seq) ON DELETE CASCADE
) STRICT;
CREATE TABLE token_projects (
  token INTEGER NOT NULL REFERENCES tokens(seq) ON DELETE CASCADE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  PRIMARY KEY (token, project)
) STRICT, WITHOUT ROWID;

-- md5 and size_in_bytes are those of the stored object, once it was accepted at complete.
-- failure: why a failed asset cannot be read, as a clause.
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
  ingest_due_ms INTEGER,
  needs_child INTEGER NOT NULL DEFAULT 0,
  failure TEXT
) STRICT;
CREATE INDEX assets_in_project ON assets (project);
CREATE INDEX assets_by_content ON assets (project, md5) WHERE md5 IS NOT NULL;
CREATE INDEX assets_reserved ON assets (project, declared_md5, expires_at_ms) WHERE status = 'uploaded';
-- Assets that only a child process may read wait in a queue of their own: a slow one holds up none that is read at once.
CREATE INDEX assets_to_ingest ON assets (needs_child, ingest_due_ms) WHERE status = 'ingesting';

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

-- scope: the scope of the turn as JSON, NULL for the whole project. options: how it was asked beside its prompt and scope, JSON of
-- TurnOptions. attempts: how often an answer was tried in vain; answer_due_ms is then the time of the next attempt.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE,
  chat INTEGER NOT NULL REFERENCES chats(seq) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  answer_due_ms INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  scope TEXT,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'error')),
  response TEXT,
  options TEXT,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_in_chat ON messages (chat);
CREATE INDEX messages_to_answer ON messages (answer_due_ms) WHERE status = 'running';

-- Skills, memories, actions and sessions: 'fields' is JSON, as it was sent. owner: the one who sees it, NULL for everybody in the
-- project. unique_name: of skills, which chats call by name.
CREATE TABLE resources (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  owner INTEGER REFERENCES users(seq) ON DELETE CASCADE,
  unique_name TEXT,
  enabled INTEGER NOT NULL,
  fields TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  modified_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX resources_in_project ON resources (kind, project, seq);
CREATE INDEX resources_by_name ON resources (kind, project, unique_name) WHERE unique_name IS NOT NULL;

-- A concept is a name for a set of assets, which labels can carry, too. A view is a filter by the names of labels (JSON, any of
-- them) and by a pattern of the file's name (GLOB); NULL: by the other alone.
CREATE TABLE concepts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  concept_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (project, name)
) STRICT;
CREATE TABLE concept_assets (
  concept INTEGER NOT NULL REFERENCES concepts(seq) ON DELETE CASCADE,
  asset INTEGER NOT NULL REFERENCES assets(seq) ON DELETE CASCADE,
  PRIMARY KEY (concept, asset)
) STRICT, WITHOUT ROWID;
CREATE INDEX concept_assets_by_asset ON concept_assets (asset);
CREATE TABLE concept_labels (
  concept INTEGER NOT NULL REFERENCES concepts(seq) ON DELETE CASCADE,
  label INTEGER NOT NULL REFERENCES labels(seq) ON DELETE CASCADE,
  PRIMARY KEY (label, concept)
) STRICT, WITHOUT ROWID;
CREATE INDEX concept_labels_by_concept ON concept_labels (concept);
CREATE TABLE views (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  view_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  label_names TEXT,
  name_pattern TEXT,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (project, name)
) STRICT;

-- Where removed items stood in their lists, so that a page can still start behind one that was removed meanwhile.
-- A removed user was perhaps a member of several projects.
CREATE TABLE removed (
  id TEXT NOT NULL,
  project INTEGER NOT NULL,
  position ANY NOT NULL,
  PRIMARY KEY (id, project)
) STRICT, WITHOUT ROWID;
`,
  },
  {
    version: 7,
    sql: `
-- reading: how much of a ready asset was read, JSON. has_no_text: 1 if a failed one was read and has no word of its own.
-- is_wire_form: 1 if a failed one is in a form for programs under the name of another kind.
-- read_by: the version of the reader that read it last. Ready assets of an earlier version are the queue of what is read again.
ALTER TABLE assets ADD COLUMN reading TEXT;
ALTER TABLE assets ADD COLUMN has_no_text INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assets ADD COLUMN is_wire_form INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assets ADD COLUMN read_by INTEGER NOT NULL DEFAULT 0;
CREATE INDEX assets_by_reader ON assets (read_by) WHERE status = 'ready';
`,
  },
  {
    version: 8,
    sql: `
-- Pages that programs read, such as tesseract. turn: their order within the file. state: waiting, read (their words stand here), or
-- indexed (the index has them, too). fault: why a page has no words. A file that soffice converts is one page without words.
CREATE TABLE picture_pages (
  asset INTEGER NOT NULL REFERENCES assets(seq) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  kind TEXT NOT NULL,
  turn INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  words TEXT NOT NULL DEFAULT '',
  fault TEXT,
  PRIMARY KEY (asset, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX picture_pages_waiting ON picture_pages (turn, asset) WHERE state = 'waiting';
CREATE INDEX picture_pages_read ON picture_pages (asset) WHERE state = 'read';
-- 1 if a failed asset needs a program that this machine does not have.
ALTER TABLE assets ADD COLUMN needs_program INTEGER NOT NULL DEFAULT 0;
`,
  },
  {
    version: 9,
    sql: `
-- calls: how many the model has answered for this turn. calls_left: how many more there will be, while files are read in batches.
-- outcome: what else the record says of an answer, JSON of TurnRecord.
ALTER TABLE messages ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN calls_left INTEGER;
ALTER TABLE messages ADD COLUMN outcome TEXT;
-- The answers of a model about batches of files, while their turn goes on. covers: what a row is made of, JSON. level 0: pieces of
-- files (Piece[]); from 1 on: the numbers of the rows whose notes it puts together.
CREATE TABLE reading_notes (
  seq INTEGER PRIMARY KEY,
  message INTEGER NOT NULL REFERENCES messages(seq) ON DELETE CASCADE,
  level INTEGER NOT NULL,
  covers TEXT NOT NULL,
  notes TEXT NOT NULL,
  warnings TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX reading_notes_by_message ON reading_notes (message);
-- The files that answers may use: each question counts them, and asks for the newest.
CREATE INDEX assets_in ON assets (project, created_at_ms) WHERE status = 'ready' AND coalesce(reading ->> 'seen', 1) > 0;
`,
  },
]
