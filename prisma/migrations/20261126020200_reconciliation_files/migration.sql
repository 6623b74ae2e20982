-- Reports about a file of a bank are made once for each file: by its digest. Null for those of a rail.
alter table reconciliation add column source text;
create unique index reconciliation_by_source on reconciliation (mode, source, day) where source is not null;
