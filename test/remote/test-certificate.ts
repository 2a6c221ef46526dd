/**
 * A self-signed certificate for localhost, 127.0.0.1 and service.test, valid from 2020 to 2120,
 * with its key. It is for these tests only; no system trusts it.
 */
export const test_key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgymsXVhxKcLludjoC
NIzj/H3J6w+8jrMoz/vrFslK+pOhRANCAASOyraCEaiHd3YtGd8s/IZDg93UUfU7
xMFYznlIhkbKRXGVRWcdIgMzu6PaS3fSuH3FA+EwqKDCjHOqnVWS94Mk
-----END PRIVATE KEY-----`

export const test_certificate = `-----BEGIN CERTIFICATE-----
MIIBvTCCAWSgAwIBAgIUNBxOL7gaSWvkr015jfG1K9EpZqkwCgYIKoZIzj0EAwIw
LzEtMCsGA1UEAwwkU2x1aWNlIHRlc3QgYXV0aG9yaXR5LCB3b3J0aCBub3RoaW5n
MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAvMS0wKwYDVQQDDCRT
bHVpY2UgdGVzdCBhdXRob3JpdHksIHdvcnRoIG5vdGhpbmcwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAASOyraCEaiHd3YtGd8s/IZDg93UUfU7xMFYznlIhkbKRXGV
RWcdIgMzu6PaS3fSuH3FA+EwqKDCjHOqnVWS94Mko1wwWjAPBgNVHRMBAf8EBTAD
AQH/MCgGA1UdEQQhMB+CCWxvY2FsaG9zdIIMc2VydmljZS50ZXN0hwR/AAABMB0G
A1UdDgQWBBS8T1SQxS/AqdsR5Xq0LMeZDB60oDAKBggqhkjOPQQDAgNHADBEAiBc
btc8eZkOQ56lXpfaa9XJyFt63q3zCkwwECmUlqHoegIgb77p8/R915iB3Df2Ko5A
Kq1EzXrTXpXTrIvqh3C98oo=
-----END CERTIFICATE-----`
