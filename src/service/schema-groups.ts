import type { Migration } from '../base/sqlite.ts'

/**
 * The groups beside files and chats, and who belongs to what. An organisation holds workspaces, a workspace holds projects: both
 * follow from the project, and are never sent.
 */
export const groups_migration: Migration = {
  version: 2,
  sql: `
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
-- Never NULL: SQLite adds no column to a table with rows that both refers to another and has a default.
ALTER TABLE projects ADD COLUMN workspace INTEGER REFERENCES workspaces(seq);
UPDATE projects SET workspace = 1;

CREATE TABLE users (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE members (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  user INTEGER NOT NULL REFERENCES users(seq) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'collaborator', 'reader')),
  added_at_ms INTEGER NOT NULL,
  UNIQUE (project, user)
) STRICT;
CREATE INDEX members_by_user ON members (user);
CREATE TABLE invitations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  invitation_id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(seq) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'collaborator', 'reader')),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (project, email)
) STRICT;

-- A token of a user reaches what its user is a member of; one of nobody reaches what it was made for, as an owner.
ALTER TABLE tokens ADD COLUMN user INTEGER REFERENCES users(seq) ON DELETE CASCADE;

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

-- How a turn was asked beside its prompt and scope: JSON of TurnOptions, NULL before this version. attempts: how often an answer was
-- tried in vain; answer_due_ms is then the time of the next attempt.
ALTER TABLE messages ADD COLUMN options TEXT;
ALTER TABLE messages ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;

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

-- Assets that only a child process may read wait in a queue of their own: a slow one holds up none that is read at once.
ALTER TABLE assets ADD COLUMN needs_child INTEGER NOT NULL DEFAULT 0;
DROP INDEX assets_to_ingest;
CREATE INDEX assets_to_ingest ON assets (needs_child, ingest_due_ms) WHERE status = 'ingesting';
`,
}
