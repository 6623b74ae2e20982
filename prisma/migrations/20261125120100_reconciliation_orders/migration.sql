-- Reconciliation reads the orders that ended in a day.
create index pix_order_ended on pix_order (ended_at) where ended_at is not null;
