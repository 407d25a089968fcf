CREATE SCHEMA omop;
CREATE TABLE omop.location (
    location_id integer PRIMARY KEY, address_1 varchar(50), address_2 varchar(50), city varchar(50), state varchar(2),
    zip varchar(9), county varchar(20), location_source_value varchar(50), country_concept_id integer,
    country_source_value varchar(80), latitude numeric, longitude numeric
);
CREATE TABLE omop.care_site (
    care_site_id integer PRIMARY KEY, care_site_name varchar(255), place_of_service_concept_id integer,
    location_id integer, care_site_source_value varchar(50), place_of_service_source_value varchar(50)
);
CREATE TABLE omop.provider (
    provider_id integer PRIMARY KEY, provider_name varchar(255), npi varchar(20), dea varchar(20),
    specialty_concept_id integer, care_site_id integer, year_of_birth integer, gender_concept_id integer,
    provider_source_value varchar(50), specialty_source_value varchar(50), specialty_source_concept_id integer,
    gender_source_value varchar(50), gender_source_concept_id integer
);
CREATE TABLE omop.person (
    person_id integer PRIMARY KEY, gender_concept_id integer NOT NULL, year_of_birth integer NOT NULL,
    month_of_birth integer, day_of_birth integer, birth_datetime timestamp, race_concept_id integer NOT NULL,
    ethnicity_concept_id integer NOT NULL, location_id integer, provider_id integer, care_site_id integer,
    person_source_value varchar(50), gender_source_value varchar(50), gender_source_concept_id integer,
    race_source_value varchar(50), race_source_concept_id integer, ethnicity_source_value varchar(50),
    ethnicity_source_concept_id integer
);
CREATE TABLE omop.visit_occurrence (
    visit_occurrence_id integer PRIMARY KEY, person_id integer NOT NULL, visit_concept_id integer NOT NULL,
    visit_start_date date NOT NULL, visit_start_datetime timestamp, visit_end_date date NOT NULL,
    visit_end_datetime timestamp, visit_type_concept_id integer NOT NULL, provider_id integer, care_site_id integer,
    visit_source_value varchar(50), visit_source_concept_id integer, admitted_from_concept_id integer,
    admitted_from_source_value varchar(50), discharged_to_concept_id integer, discharged_to_source_value varchar(50),
    preceding_visit_occurrence_id integer
);
CREATE TABLE omop.note (
    note_id integer PRIMARY KEY, person_id integer NOT NULL, note_date date NOT NULL, note_datetime timestamp,
    note_type_concept_id integer NOT NULL, note_class_concept_id integer NOT NULL, note_title varchar(250),
    note_text text NOT NULL, encoding_concept_id integer NOT NULL, language_concept_id integer NOT NULL,
    provider_id integer, visit_occurrence_id integer, visit_detail_id integer, note_source_value varchar(50),
    note_event_id bigint, note_event_field_concept_id integer
);
CREATE TABLE omop.concept (
    concept_id integer PRIMARY KEY, concept_name varchar(255) NOT NULL, domain_id varchar(20) NOT NULL,
    vocabulary_id varchar(20) NOT NULL, concept_class_id varchar(20) NOT NULL, standard_concept varchar(1),
    concept_code varchar(50) NOT NULL, valid_start_date date NOT NULL, valid_end_date date NOT NULL,
    invalid_reason varchar(1)
);
CREATE TABLE omop.condition_occurrence (
    condition_occurrence_id integer PRIMARY KEY, person_id integer NOT NULL, condition_concept_id integer NOT NULL,
    condition_start_date date NOT NULL, condition_start_datetime timestamp, condition_end_date date,
    condition_end_datetime timestamp, condition_type_concept_id integer NOT NULL, condition_status_concept_id integer,
    stop_reason varchar(20), provider_id integer, visit_occurrence_id integer, visit_detail_id integer,
    condition_source_value varchar(50), condition_source_concept_id integer,
    condition_status_source_value varchar(50)
);
