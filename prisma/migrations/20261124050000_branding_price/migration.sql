-- Whether the payer of a shop is shown rate and fees: most shops sell shoes, not crypto.
alter table branding add column shows_price boolean not null default false;
