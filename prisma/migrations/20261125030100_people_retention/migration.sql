-- Sessions that have ended and links that were used or have expired are kept for a time, and then go.
grant delete on person_session, person_link to crossramp_app;
