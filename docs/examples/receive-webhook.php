<?php

require __DIR__ . '/verify-webhook.php';

$headers = array_change_key_case(getallheaders());
$body = file_get_contents('php://input');
if (!is_authentic($headers, $body, getenv('WEBHOOK_SECRET'))) {
    http_response_code(400);
    exit;
}
// Your own server keeps each webhook-id in its database, and does the work of an id once.
file_put_contents('php://stdout', $headers['crossramp-event'] . ' ' . json_decode($body)->end2end . "\n");
http_response_code(204);
