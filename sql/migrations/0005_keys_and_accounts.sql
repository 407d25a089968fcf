-- Versions of the secret, by fingerprint, and what a patient's published documents have spent.

-- Grain: one version of the secret that some run used. The secret itself is nowhere in the database.
CREATE TABLE deid.key (
    key_version int PRIMARY KEY,
    fingerprint text NOT NULL UNIQUE,
    first_used_at timestamptz NOT NULL DEFAULT now(),
    destroyed_at timestamptz
);
GRANT SELECT ON deid.key TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT INSERT, UPDATE ON deid.key TO nocturne_worker;

-- Empty for what was written before fingerprints were kept.
ALTER TABLE deid.run ADD COLUMN key_fingerprint text NOT NULL DEFAULT '';
ALTER TABLE research.document ADD COLUMN key_fingerprint text NOT NULL DEFAULT '';

-- A line counts for its patient once it is published, and for good: what was read cannot be unread.
ALTER TABLE deid.budget ADD COLUMN content_hash text NOT NULL DEFAULT '';
ALTER TABLE deid.budget ADD COLUMN published boolean NOT NULL DEFAULT false;
GRANT UPDATE (published) ON deid.budget TO nocturne_publisher;
