-- How many customers an account has, so that a total needs no count.
alter table account_head add column customers bigint not null default 0;
update account_head h set customers = c.customers
  from (select account_id, count(*) as customers from customer group by account_id) c where c.account_id = h.account_id;
