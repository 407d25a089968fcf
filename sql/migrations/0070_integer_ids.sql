-- Integer ids of schema research from a keyed permutation of a sequence: two open transactions never draw the same id,
-- so that none waits for the other's id. Draws at random met now and then, waited, and could wait for one another in a
-- circle (deadlock).

CREATE SEQUENCE deid.omop_id_number AS bigint MINVALUE 0 MAXVALUE 2147483646 CYCLE;

-- Grain: the one key of the permutation, which is nobody's to read: with it an id tells when it was given.
CREATE TABLE deid.omop_id_key (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    key bytea NOT NULL CHECK (octet_length(key) = 32)
);
INSERT INTO deid.omop_id_key (key) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- A Feistel network of six rounds over 32 bits, walked on until the number is below 2^31 - 1: a permutation of the
-- numbers below 2^31 - 1 (Black and Rogaway 2002, "Ciphers with arbitrary finite domains").
CREATE FUNCTION deid.permuted(number bigint, key bytea) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    walked bigint := number;
    upper_half int;
    lower_half int;
    digest bytea;
BEGIN
    IF number NOT BETWEEN 0 AND 2147483646 THEN
        RAISE EXCEPTION 'number must be between 0 and 2147483646';
    END IF;
    LOOP
        upper_half := walked >> 16;
        lower_half := walked & 65535;
        FOR round IN 1 .. 6 LOOP
            digest := sha256(key || int4send(round) || int4send(lower_half));
            walked := upper_half # (get_byte(digest, 0) << 8 | get_byte(digest, 1));
            upper_half := lower_half;
            lower_half := walked;
        END LOOP;
        walked := upper_half::bigint << 16 | lower_half;
        EXIT WHEN walked < 2147483647;
    END LOOP;
    RETURN walked;
END
$$;
REVOKE EXECUTE ON FUNCTION deid.permuted(bigint, bytea) FROM PUBLIC;

CREATE OR REPLACE FUNCTION deid.omop_id_of(kind text, name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known bigint;
BEGIN
    IF $2 IS NULL THEN
        RETURN NULL;
    END IF;
    FOR attempt IN 0 .. 1000 LOOP
        SELECT o.id INTO known FROM deid.omop_id AS o WHERE o.kind = $1 AND o.name = $2;
        IF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO deid.omop_id (kind, name, id)
        SELECT
            $1, $2, 1 + CASE
                WHEN attempt < 64 THEN deid.permuted(nextval('deid.omop_id_number'), k.key)
                ELSE ('x' || left(md5(gen_random_uuid()::text), 15))::bit(60)::bigint % 9007199254740991
            END
        FROM deid.omop_id_key AS k
        ON CONFLICT DO NOTHING;
    END LOOP;
    RAISE EXCEPTION 'no integer id is free';
END
$$;
