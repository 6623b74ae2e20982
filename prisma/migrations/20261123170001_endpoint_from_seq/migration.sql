-- An endpoint receives no events from before it was created, also when the relay is behind. Those that exist keep all events.
alter table webhook_endpoint add column if not exists from_seq bigint not null default 0;
