-- Documents of the interval that planning saw and left: their patients are those of another project's part.
ALTER TABLE deid.run ADD COLUMN elsewhere integer NOT NULL DEFAULT 0;
