<?php

/** Whether a valid secret signed the request within five minutes. `$body`: file_get_contents('php://input'), before any parser. */
function is_authentic(array $headers, string $body, string $secret, ?int $now = null): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = ($headers['webhook-id'] ?? '') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    $isAuthentic = false;
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        $isAuthentic = hash_equals($expected, $signature) || $isAuthentic;
    }
    return $isAuthentic;
}
