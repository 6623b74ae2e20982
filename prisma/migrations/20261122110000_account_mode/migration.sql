-- An account moves play money on sandbox rails, or real money on live ones; never both (docs/decisions/0017).
-- Until now the sandbox played every account, whatever its keys said. An account is live from now on only where nothing
-- can have been played: it had live keys only, and its book and its lists hold at most what was imported.
alter table account add column mode text not null default 'sandbox' check (mode in ('sandbox', 'live'));
update account a set mode = 'live'
 where a.handle is distinct from 'sandbox'
   and exists (select from api_key k where k.account_id = a.id and k.mode = 'live')
   and not exists (select from api_key k where k.account_id = a.id and k.mode <> 'live')
   and not exists (select from event e where e.account_id = a.id)
   and not exists (select from journal j where j.account_id = a.id and j.name <> 'import');
-- Whoever adds an account says which it is.
alter table account alter column mode drop default;

-- Rates of the sandbox are not those of a market.
alter table rate add column mode text not null default 'sandbox' check (mode in ('sandbox', 'live'));
alter table rate drop constraint rate_pkey;
alter table rate add primary key (mode, asset);
alter table rate alter column mode drop default;
