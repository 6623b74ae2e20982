-- The provider's own name for an order, where it finds an order by that alone (Banco Inter).
alter table pix_order add column reference text;
