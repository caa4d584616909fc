-- Migrations that took something away, each with the least version that works without it.
CREATE TABLE schema_contracts (
  migration text PRIMARY KEY,
  least_version text NOT NULL
);
