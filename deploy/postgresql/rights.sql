-- Rights of the service's role, once after the first migrate, by the owner of the database:
--   psql postgres://tianguis:…@127.0.0.1:5432/tianguis -f deploy/postgresql/rights.sql
\set ON_ERROR_STOP on
grant usage on schema public, queue to tianguis_app;
grant select, insert, update, delete on all tables in schema public, queue to tianguis_app;
grant usage, select, update on all sequences in schema public, queue to tianguis_app;
alter default privileges in schema public, queue grant select, insert, update, delete on tables to tianguis_app;
alter default privileges in schema public, queue grant usage, select, update on sequences to tianguis_app;
-- So that it can refresh statistics after a first import.
select current_setting('server_version_num')::int >= 170000 as has_maintain \gset
\if :has_maintain
  grant maintain on all tables in schema public to tianguis_app;
  alter default privileges in schema public grant maintain on tables to tianguis_app;
\endif
