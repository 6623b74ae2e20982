-- How the hosted pages of an account look; an account without a row looks plain and has its own name.
create table branding (
  account_id   bigint primary key references account,
  display_name text check (char_length(display_name) between 1 and 60),
  -- White text is readable on it.
  accent       text check (accent ~ '^#[0-9a-f]{6}$'),
  logo         bytea check (octet_length(logo) <= 65536),
  logo_type    text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  -- Where a payer finds help: https or mailto.
  support_url  text,
  -- Origins whose pages may show a hosted page in a frame.
  frame_hosts  text[] not null default '{}',
  check ((logo is null) = (logo_type is null))
);
