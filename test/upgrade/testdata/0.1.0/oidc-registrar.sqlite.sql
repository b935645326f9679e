CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version (id,version_id,is_applied,tstamp) VALUES
(1,0,1,'2026-11-24 13:19:55'),
(2,1,1,'2026-11-24 13:19:55');
CREATE TABLE partner (
  id       text PRIMARY KEY,
  name     text NOT NULL,
  type     text NOT NULL,
  status   text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  logo_uri text NOT NULL
);
INSERT INTO partner (id,name,type,status,logo_uri) VALUES
('demo-partner','Demo partner','Auth_Partner','ACTIVE',''),
('bank','bank','Auth_Partner','ACTIVE',''),
('shop','shop','Auth_Partner','INACTIVE','');
CREATE TABLE policy (
  id                   text PRIMARY KEY,
  name                 text NOT NULL,
  type                 text NOT NULL,
  status               text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  user_claims          text NOT NULL,
  acrs                 text NOT NULL,
  mandatory_auth_types text NOT NULL,
  approval_policy      text NOT NULL -- of wf; empty when registrations need no approval
);
INSERT INTO policy (id,name,type,status,user_claims,acrs,mandatory_auth_types,approval_policy) VALUES
('demo-policy','Name and e-mail address','Auth','ACTIVE','["name","email"]','["mosip:idp:acr:generated-code"]','[]',''),
('free','free','Auth','ACTIVE','["name"]','["mosip:idp:acr:generated-code"]','[]',''),
('reviewed','reviewed','Auth','ACTIVE','["name"]','["mosip:idp:acr:generated-code"]','[]','oidc-client'),
('old','old','Auth','INACTIVE','["name"]','["mosip:idp:acr:generated-code"]','[]','');
CREATE TABLE partner_policy (
  partner_id text NOT NULL REFERENCES partner (id),
  policy_id  text NOT NULL REFERENCES policy (id),
  status     text NOT NULL CHECK (status IN ('APPROVED', 'REVOKED')),
  PRIMARY KEY (partner_id, policy_id)
);
INSERT INTO partner_policy (partner_id,policy_id,status) VALUES
('demo-partner','demo-policy','APPROVED'),
('bank','free','APPROVED'),
('bank','reviewed','APPROVED'),
('bank','old','REVOKED'),
('shop','free','APPROVED'),
('shop','reviewed','APPROVED'),
('shop','old','APPROVED');
CREATE TABLE client (
  id                    text NOT NULL,
  door                  text NOT NULL CHECK (door IN ('partner', 'provider')), -- the API that manages it
  name                  text NOT NULL,
  partner_id            text NOT NULL,
  policy_id             text NOT NULL,
  key_thumbprint        text NOT NULL,
  key_jwk               text NOT NULL,
  key_id                text NOT NULL,
  former_thumbprint     text NOT NULL, -- the key before, while the client moves to the new one
  former_jwk            text NOT NULL,
  former_id             text NOT NULL,
  user_claims           text NOT NULL,
  acrs                  text NOT NULL,
  logo_uri              text NOT NULL,
  redirect_uris         text NOT NULL,
  grant_types           text NOT NULL,
  auth_methods          text NOT NULL,
  extensions            text NOT NULL, -- fields that only some APIs have, as a JSON object
  status                text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'PENDING', 'FAILED')),
  final                 boolean NOT NULL, -- INACTIVE until an admin enables it
  provider_client_id    text NOT NULL, -- the id that the identity provider assigned
  doubtful              boolean NOT NULL, -- what the identity provider has must be read first
  failure_reason        text NOT NULL,
  failure_provider_code text NOT NULL,
  failure_message       text NOT NULL,
  created_by            text NOT NULL,
  created_ms            bigint NOT NULL,
  updated_ms            bigint NOT NULL,
  rev                   bigint NOT NULL,
  CONSTRAINT client_id UNIQUE (id)
);
INSERT INTO client (id,door,name,partner_id,policy_id,key_thumbprint,key_jwk,key_id,former_thumbprint,former_jwk,former_id,user_claims,acrs,logo_uri,redirect_uris,grant_types,auth_methods,extensions,status,final,provider_client_id,doubtful,failure_reason,failure_provider_code,failure_message,created_by,created_ms,updated_ms,rev) VALUES
('ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','partner','ok','bank','free','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','{"crv":"P-256","kid":"ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c","kty":"EC","x":"ZVIvXKOWvpMVythaJN_jwKi35IweC_cG8-OdtPDqBWY","y":"upXWT27HgKfrfLc-zpJs3wG0XUN9GaedmmaOeffJ1PU"}','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-JEN33XRFGAJ3SNYNBJ7Q2PH7VH',0,'','','','vera',1795526395717,1795526395732,2),
('qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','partner','ok','bank','free','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','{"crv":"P-256","kid":"qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs","kty":"EC","x":"dKJBRRraPzg25tjK14ZvOgi-Y7mrZkeX4w1GnZzJ8og","y":"245WaNs_Kv4UZnxlE1EgZYVDORVHSrKoK-TFO8Rf1Ek"}','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-2NBSETUVDUEXVJLSDBX6CFAUGL',0,'','','','vera',1795526395737,1795526395762,3),
('HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','partner','ok','bank','free','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','{"crv":"P-256","kid":"HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c","kty":"EC","x":"a38vrLJXO7xn6n-XwdvyxX8lxoPYdbZwAXPMgmvx6nY","y":"w6Xo5a5d7Z1BgK3xnRD54gCJ7UmubMJ7EMfemY7-7Jw"}','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-HHG27ERWBBLLXQF67I4PNODDSX',0,'','','','vera',1795526395771,1795526395795,3),
('qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','partner','ok','bank','free','aQLV-yJwjJS6mO6_wV8Ec3mDW5--aFzpKMQAnASekFI','{"crv":"P-256","kid":"aQLV-yJwjJS6mO6_wV8Ec3mDW5--aFzpKMQAnASekFI","kty":"EC","x":"lpch5SVJ7aqZJPpUna-43JQq3oh58omMJW4zdlv-OOE","y":"UvDGeMCeTilgWvqYr8PG46VN1M-a2wOwKjWZYcPijsY"}','aQLV-yJwjJS6mO6_wV8Ec3mDW5--aFzpKMQAnASekFI','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','{"crv":"P-256","kid":"qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM","kty":"EC","x":"Y9AhA8jBmOjyVdNXWxuBXS4rwTmw6WW611PfcEJm91M","y":"Sc0X70N1ad0QMweRoMo5N2uPqiyNYcTYvz3uN6l_pHI"}','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U',0,'','','','vera',1795526395815,1795526395835,3),
('of-the-provider','provider','ok','bank','','JOjhmzmdhpFe6s5IlgXoQ6-cedWGJ5vLIoRS2FKZr-Y','{"crv":"P-256","kid":"JOjhmzmdhpFe6s5IlgXoQ6-cedWGJ5vLIoRS2FKZr-Y","kty":"EC","x":"FdYJKZThrtZHL63XkNVP7FGyk3Zlo7gCzR-7NIxF_94","y":"rDGKLp6AqC2hInB-QahDCv5YtindwSteyxwPHpw_ct0"}','JOjhmzmdhpFe6s5IlgXoQ6-cedWGJ5vLIoRS2FKZr-Y','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-E3LCJGLDCOU2AZCYMGGC6NYSNH',0,'','','','vera',1795526395858,1795526395869,2),
('A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','partner','down','bank','free','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','{"crv":"P-256","kid":"A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ","kty":"EC","x":"cjpgSJs7eZXuXM1E3VejrRD8uM2JY_G9E4ahF9K0AYU","y":"IHJPblKd1iseXf9vfY0oziMbJL3354d0FDhGG-ZEUq0"}','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795526395885,1795526395885,1),
('wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','partner','ok','bank','free','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','{"crv":"P-256","kid":"wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA","kty":"EC","x":"itJijhaNgj74P2A24ugQT_QCdb4MAZ8QkvNKXOul0hk","y":"eR5FKdd99glMUvlVsEngtUuoDZKmHhtGK43PiLa0K7A"}','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-ISTUCULESJY67YQITCKT6H6Z2Q',0,'','','','vera',1795526396196,1795526396207,2),
('WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','partner','ok','bank','free','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','{"crv":"P-256","kid":"WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho","kty":"EC","x":"RGf4W6mUy0tQ9fJMkw83_a_iGA-zVMkC3hUeBBV7x8A","y":"MKTTdhrvI2tvmkPFpXT75iWxvT7QRKWHM8K4CUJeFTk"}','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-SZWDU4FKDLEJ5DTICPZUSGO2M4',1,'','','','vera',1795526396241,1795526396319,3),
('R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','partner','ok','bank','free','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','{"crv":"P-256","kid":"R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw","kty":"EC","x":"2Hm5CqrITZxb24fCHZaUJoqzpXKVeYdqg6t0MdHJhBA","y":"K-fir0AWO8UkysY9ULTcTJehLF894b8Ac0exSVXgkTA"}','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-OACA625CONH53TCRIYX4GWO4PY',0,'','','','initial access token:892673f03fdf18c5',1795526396336,1795526396342,2),
('OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','partner','ok','bank','reviewed','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','{"crv":"P-256","kid":"OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE","kty":"EC","x":"nFdj6ECusMWtP0D59hOHCcZfRHhtMNXi5Yj1jTky5fY","y":"Zr2lEKLLSlYicr6b6Lu2EP8JWcblXcfTRiggXb7A2C0"}','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-HZEFM4ZRQOB763PD5UHJUKEJEB',0,'','','','vera',1795526396356,1795526396453,2),
('CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','partner','ok','bank','reviewed','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','{"crv":"P-256","kid":"CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA","kty":"EC","x":"BcKlg2dH8lpa0iFZaXaYg29IMzhgVSPl6JV98THRhb8","y":"Rjyj-0rYcbJjG_TykoEOVkpL5jFQAkPz3yiUnqGsWOY"}','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','FAILED',0,'',0,'not_approved','','not approved: The decision of fay','vera',1795526396413,1795526396553,2),
('uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','partner','ok','bank','free','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','{"crv":"P-256","kid":"uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is","kty":"EC","x":"eDQiGqvYlb-Gu-5CTosSkVMySKWDjDUaBYD8fH0Bgos","y":"q4DRqmA60iN7htrXPbhKOJ-t_oOXWUFqm2NiXKLjWaQ"}','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-3GUS2THMJ4UOZKFRC2ADW7K7CX',0,'','','','vera',1795526396634,1795526396647,2),
('ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','partner','ok','bank','free','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','{"crv":"P-256","kid":"ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4","kty":"EC","x":"H9dJt4dhIgwmeSADHRXxMfnkq_zNoPRyDer7uAYPbV8","y":"dqOYtMGG0X_3-LHeP4j1ZHVNgrvJcsmhKDayRDwZZK0"}','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-KDK53RV3TBYVBFJ5GKGWOQ73YT',0,'','','','vera',1795526396664,1795526396678,2),
('bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','partner','ok','bank','free','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','{"crv":"P-256","kid":"bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs","kty":"EC","x":"X-CJFfs0CWDOQlszaAV8Uh9e1pn-VvfhtaKrhuPWKOs","y":"yFN16cQvBmmL_KVSrGNjwtoshgDEhp_-zq6MA8IVd2I"}','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-OOO7YW75MMDTN6ZUOYR6IWMVKP',0,'','','','vera',1795526396685,1795526396693,2),
('GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','partner','ok','bank','free','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','{"crv":"P-256","kid":"GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE","kty":"EC","x":"0Keczu_ZZ2TJPOoFgioQiHyh5EZ4R0mh4x9UP_vVGCQ","y":"bW9qM61JZIt8g0VAXWB-UbDYnFD9ksBE296th9wzDuA"}','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK',0,'','','','vera',1795526480133,1795526480193,3),
('J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','partner','down','bank','free','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','{"crv":"P-256","kid":"J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8","kty":"EC","x":"phAUTwisV3YR1nd7qYMCWhh-9vBHjAoAb1IaamLrGXY","y":"Z3XiiJNOUDrbzGXdhlRezzEpTqLPC6fxZCwzOfZr2Fs"}','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795526500381,1795526500381,1),
('wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','partner','ok','bank','reviewed','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','{"crv":"P-256","kid":"wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0","kty":"EC","x":"J92KPwO4korVxbczvwIrrrnGWzgL5KoemNMEUzooZGc","y":"cn292_83amr_-o-1yLAMa8CPulC-pIQ-X1-5S9lDTTY"}','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795526500743,1795526500743,1);
CREATE TABLE client_key (
  thumbprint text PRIMARY KEY,
  client_id  text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO client_key (thumbprint,client_id) VALUES
('ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c'),
('qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs'),
('HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c'),
('qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM'),
('aQLV-yJwjJS6mO6_wV8Ec3mDW5--aFzpKMQAnASekFI','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM'),
('JOjhmzmdhpFe6s5IlgXoQ6-cedWGJ5vLIoRS2FKZr-Y','of-the-provider'),
('A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ'),
('wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA'),
('WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho'),
('R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw'),
('OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE'),
('CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA'),
('uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is'),
('ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4'),
('bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs'),
('GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE'),
('J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8'),
('wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0');
CREATE TABLE initial_token (
  hash       text PRIMARY KEY,
  partner_id text NOT NULL,
  policy_id  text NOT NULL,
  uses       bigint NOT NULL CHECK (uses >= 0),
  expires_ms bigint NOT NULL,
  issued_by  text NOT NULL
);
INSERT INTO initial_token (hash,partner_id,policy_id,uses,expires_ms,issued_by) VALUES
('34f7155b9569aba3570e65194201e37ef1b4f2569740e30c7ae57d45c4bb472f','bank','free',2,1795612796328,'ada'),
('892673f03fdf18c5bc06d470f0d4f9a51e36088998344b61b055ed4bc6ffb312','bank','free',4,1795612796333,'ada');
CREATE TABLE registration_token (
  hash      text PRIMARY KEY,
  client_id text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO registration_token (hash,client_id) VALUES
('73f68755b3fed98288dda2a3baea0f41a228029ddc9426b3258ff1031be6b2f1','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw');
CREATE TABLE approval (
  client_id    text NOT NULL,
  revision     bigint NOT NULL,
  state        text NOT NULL CHECK (state IN ('asking', 'waiting', 'granted', 'denied', 'withdrawing', 'withdrawn')),
  kind         text NOT NULL CHECK (kind IN ('register', 'update')),
  wanted       text NOT NULL, -- of an update: the change, as JSON
  policy       text NOT NULL,
  requester    text NOT NULL,
  title        text NOT NULL,
  context      text NOT NULL, -- of the request, as JSON
  request_id   text NOT NULL,
  context_hash text NOT NULL,
  words        text NOT NULL,
  asked_ms     bigint NOT NULL,
  due_ms       bigint NOT NULL,
  attempts     bigint NOT NULL,
  PRIMARY KEY (client_id, revision)
);
INSERT INTO approval (client_id,revision,state,kind,wanted,policy,requester,title,context,request_id,context_hash,words,asked_ms,due_ms,attempts) VALUES
('OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',1,'granted','register','{}','oidc-client','vera','Register the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}','01a20db6-89d0-735e-8ddf-2f7e4405a25f','sha256:3c46e60dd75f26f7198b4307d4c227842e6c4f4d07729e17be8cb3fe8874ed13','',1795526396356,1795526456443,2),
('CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',1,'denied','register','{}','oidc-client','vera','Register the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}','01a20db6-8a16-7933-8050-2651298d1065','sha256:d8a2f11af893140df51e23fedb8f954ad2aa0525d565493fdad162b047635651','The decision of fay',1795526396413,1795526456545,2),
('h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',1,'withdrawn','register','{}','oidc-client','vera','Register the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}','01a20db6-8a73-758c-8208-b18e9ad900db','sha256:046df94ea1c83966ff5b698381bde543add84057650f9a4bf812074a5abdfddf','',1795526396521,1795526456582,2),
('xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',1,'withdrawing','register','{}','oidc-client','vera','Register the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}','01a20db6-8ac7-78da-8b9d-d1653e494ccb','sha256:52c04d3f14993be995d458e3974f726dc1288dac065e4ceff8ece6db6612b459','',1795526396578,1795526500781,1),
('OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',2,'waiting','update','{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','oidc-client','vera','Change the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"side":"partner","userClaims":["name"]}','01a20db6-8adb-7d06-9ab6-b5818148576b','sha256:0f48060c0c1facf57077df31fa21b99fe2efd28d48f657e11105051144f84ceb','',1795526396630,1795526696652,1),
('wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0',1,'asking','register','{}','oidc-client','vera','Register the client ok','{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}','','','',1795526500743,1795526560756,1);
CREATE TABLE idp_call (
  client_id text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind      text NOT NULL CHECK (kind IN ('register', 'update', 'remove', 'read')),
  wanted    text NOT NULL, -- of an update: the change that the provider has yet to confirm, as JSON
  actor     text NOT NULL,
  attempts  bigint NOT NULL,
  due_ms    bigint NOT NULL,
  token     text NOT NULL,
  sent      boolean NOT NULL, -- the identity provider may have received the call
  ours      boolean NOT NULL, -- the client that the provider has under the id is this one
  owner     text NOT NULL
);
INSERT INTO idp_call (client_id,kind,wanted,actor,attempts,due_ms,token,sent,ours,owner) VALUES
('A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','remove','{}','vera',2,1795526760549,'',1,0,''),
('wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','update','{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',2,1795526760247,'',0,0,''),
('WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','update','{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',0,1795530077869,'',1,0,''),
('CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','register','{}','vera',0,253370764800000,'',0,0,''),
('J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','register','{}','vera',1,1795526560714,'',1,0,''),
('wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','register','{}','vera',0,253370764800000,'',0,0,''),
('GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','read','{}','system:import',1,1795526560917,'TSWHDSHVAM5LSEOEAOYRES6KMQ',1,0,'');
CREATE TABLE provider_record (
  client_id          text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  provider_client_id text NOT NULL,
  uri                text NOT NULL,
  access_token       text NOT NULL
);
INSERT INTO provider_record (client_id,provider_client_id,uri,access_token) VALUES
('ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','assigned-JEN33XRFGAJ3SNYNBJ7Q2PH7VH','http://127.0.0.1:18476/register/assigned-JEN33XRFGAJ3SNYNBJ7Q2PH7VH','dump:fUjLYAso2WtuAaHsYb4tczAPVgi-orJJdZh5gun95eJF-R5ZRe0lh4jw-tQ4Jptcn46dszU_bLo3j3n5xH_0rP2htSdr'),
('qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','assigned-2NBSETUVDUEXVJLSDBX6CFAUGL','http://127.0.0.1:18476/register/assigned-2NBSETUVDUEXVJLSDBX6CFAUGL','dump:F5r_RNQ_WfFrmlQaincD9a0Y2MTx6fo7rWF1U4t4ayol72ePG-5mhBUnedbWHsHc_YcO0oHxTqBEZxqBQepj6dw5n6eb'),
('HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','assigned-HHG27ERWBBLLXQF67I4PNODDSX','http://127.0.0.1:18476/register/assigned-HHG27ERWBBLLXQF67I4PNODDSX','dump:f1hUetevnvOyVG4S-QibZ--580D5PU3wFdxD1zUAcKQDbBNrjKtLfzkON6fpoudRgMN-1F1VrsuITGtI7Rh5uE6Wfjyr'),
('qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U','http://127.0.0.1:18476/register/assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U','dump:OQo71psjx6KpXu5rlHu932jutNKFbvByJCke0WjBDEJq3kBCrwcNsDotbz3PFLj2PQv0wyjtAVcvLnEblceYo0xfw76G'),
('of-the-provider','assigned-E3LCJGLDCOU2AZCYMGGC6NYSNH','http://127.0.0.1:18476/register/assigned-E3LCJGLDCOU2AZCYMGGC6NYSNH','dump:-gKsEEuwcd7mDaub0TExpcMluBhpXRhrYZIhP965vbXMAOtwbgm6ifW1-dZu9zB1swWa-cnQK9h7SdrlDItfcMAs1L43'),
('wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','assigned-ISTUCULESJY67YQITCKT6H6Z2Q','http://127.0.0.1:18476/register/assigned-ISTUCULESJY67YQITCKT6H6Z2Q','dump:XZB4cQyvvVU2ef_t1rHgwpFCWIHjiOT7mYsI0rVTjrJEglc66HVIsP3-gA0BeZczQGfB0PtFJJ3Vd9ElaALbMeKc72HP'),
('WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','assigned-SZWDU4FKDLEJ5DTICPZUSGO2M4','http://127.0.0.1:18476/register/assigned-SZWDU4FKDLEJ5DTICPZUSGO2M4','dump:UPz7BYk0umpwU-HBTv300cCNmcDP5_s7UBfIqnXBp3acV56cfZTQKncEUy8CCFj3Nf3q9iWQv8tmne0VNMUL7St3tnuy'),
('R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','assigned-OACA625CONH53TCRIYX4GWO4PY','http://127.0.0.1:18476/register/assigned-OACA625CONH53TCRIYX4GWO4PY','dump:zKAEc9U_Hrgz_vwnw7mwl6Sl6Mj2z8g6v21UCftZcrO1Yzfd_8ZmqxSklRComcB4zS5matnyyTaJqc80sVg5Z4MMOF07'),
('OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','assigned-HZEFM4ZRQOB763PD5UHJUKEJEB','http://127.0.0.1:18476/register/assigned-HZEFM4ZRQOB763PD5UHJUKEJEB','dump:9j2_c3enLOopfXkGi-OArSnTpMBzKQCVWnJo6S7dB-cMXj7JpWuUsj7mZbOfaKn-fpG32HGTcpoyn53Jin943Wjeenrc'),
('uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','assigned-3GUS2THMJ4UOZKFRC2ADW7K7CX','http://127.0.0.1:18476/register/assigned-3GUS2THMJ4UOZKFRC2ADW7K7CX','dump:VVDqTsAvCBkDULwv5_3eun1bnx1CwMVhBacWDhNlKc8AdSZMLmd9zrF0_90RZtnZGAYRpYx9Pae-MzTrT8Bfmae1h5X9'),
('ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','assigned-KDK53RV3TBYVBFJ5GKGWOQ73YT','http://127.0.0.1:18476/register/assigned-KDK53RV3TBYVBFJ5GKGWOQ73YT','dump:0GkXHs0p9LWUduu4U_K8-VZxNTQ8Iha_nUj9oDTf6FiRE-5J3u764CNFB09o9QD43eeSwrKGI7hvylrmmQlL2ya-3y5j'),
('bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','assigned-OOO7YW75MMDTN6ZUOYR6IWMVKP','http://127.0.0.1:18476/register/assigned-OOO7YW75MMDTN6ZUOYR6IWMVKP','dump:bTDNOHoXUHYoCyuWExNN4y14CUXYBXxCVcvwVHyTZXIhAeMEQNbzNQgAuXdwZu4goPOHaPYAV2wlWOoZ0P2tr2B8kO2U'),
('GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK','http://127.0.0.1:18476/register/assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK','dump:RDFpOSUyGavtoQRbWVpZPAcBIBkGtcFZqnROLbXH0LnyKZrTEnB-COnebpvvS3zoCLUwjYPRLg-sqNOjLTWGcizseSig');
CREATE TABLE difference (
  client_id text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind      text NOT NULL CHECK (kind IN ('missing', 'changed', 'locked')),
  fields    text NOT NULL, -- of changed
  found_ms  bigint NOT NULL
);
INSERT INTO difference (client_id,kind,fields,found_ms) VALUES
('bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','missing','[]',1795526396826),
('uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','changed','["clientName"]',1795526396870),
('ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','locked','[]',1795526396871);
CREATE TABLE reconciliation (
  name     text PRIMARY KEY,
  after_id text NOT NULL,
  begun_ms bigint NOT NULL,
  ended_ms bigint NOT NULL -- less than begun_ms while it runs
);
INSERT INTO reconciliation (name,after_id,begun_ms,ended_ms) VALUES
('provider','',1795526396872,1795526396872);
CREATE TABLE client_event (
  seq                integer PRIMARY KEY AUTOINCREMENT,
  client_id          text NOT NULL,
  kind               text NOT NULL,
  actor              text NOT NULL,
  at_ms              bigint NOT NULL,
  changed            text NOT NULL,
  flags              text NOT NULL,
  reason             text NOT NULL,
  provider_code      text NOT NULL,
  provider_client_id text NOT NULL DEFAULT '',
  words              text NOT NULL DEFAULT '', -- of the approvers
  ignored            text NOT NULL DEFAULT '[]', -- the members of the call that its API does not know
  call_id            text NOT NULL DEFAULT '',
  traceparent        text NOT NULL DEFAULT '',
  purged             bigint NOT NULL DEFAULT 0,
  purged_to          bigint NOT NULL DEFAULT 0
);
INSERT INTO client_event (seq,client_id,kind,actor,at_ms,changed,flags,reason,provider_code,provider_client_id,words,ignored,call_id,traceparent,purged,purged_to) VALUES
(1,'ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','registered','vera',1795526395717,'[]','[]','','','','','[]','VLN6B3RQLPHDTP5MZ4HCUQMHT2','',0,0),
(2,'ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c','activated','vera',1795526395732,'[]','[]','','','assigned-JEN33XRFGAJ3SNYNBJ7Q2PH7VH','','[]','VLN6B3RQLPHDTP5MZ4HCUQMHT2','',0,0),
(3,'qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','registered','vera',1795526395737,'[]','[]','','','','','[]','VZH2OZ4EWB3OVBCVOKGZOGDCVJ','',0,0),
(4,'qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','activated','vera',1795526395744,'[]','[]','','','assigned-2NBSETUVDUEXVJLSDBX6CFAUGL','','[]','VZH2OZ4EWB3OVBCVOKGZOGDCVJ','',0,0),
(5,'qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs','updated','vera',1795526395762,'["status"]','[]','','','','','[]','7IIFMOINVHHRJROQX5A7DPUKG3','',0,0),
(6,'HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','registered','vera',1795526395771,'[]','[]','','','','','[]','UN4CVMDAZ55RLNAT3JLXPOBU4X','',0,0),
(7,'HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','activated','vera',1795526395782,'[]','[]','','','assigned-HHG27ERWBBLLXQF67I4PNODDSX','','[]','UN4CVMDAZ55RLNAT3JLXPOBU4X','',0,0),
(8,'HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c','updated','ada',1795526395795,'["status"]','[]','','','','A leaked key','[]','JA5WMFFCTCUFC5ANTUUL4IO6VT','',0,0),
(9,'qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','registered','vera',1795526395815,'[]','[]','','','','','[]','X66557PBGQLVRISQOP6373HKTR','',0,0),
(10,'qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','activated','vera',1795526395822,'[]','[]','','','assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U','','[]','X66557PBGQLVRISQOP6373HKTR','',0,0),
(11,'qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM','updated','vera',1795526395835,'["publicKey"]','[]','','','','','[]','6A2YRGNSU2BLTBR6PMJQSTUG4F','',0,0),
(12,'6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0','registered','vera',1795526395841,'[]','[]','','','','','[]','OGLH6ZJBKU6Z7CIA6CPYRFGSJS','',0,0),
(13,'6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0','refused','vera',1795526395853,'[]','[]','provider_refused','','','','[]','OGLH6ZJBKU6Z7CIA6CPYRFGSJS','',0,0),
(14,'of-the-provider','registered','vera',1795526395858,'[]','[]','','','','','[]','QNMJ5YK3SJBSCLIDXGXNJVKWG2','',0,0),
(15,'of-the-provider','activated','vera',1795526395869,'[]','[]','','','assigned-E3LCJGLDCOU2AZCYMGGC6NYSNH','','[]','QNMJ5YK3SJBSCLIDXGXNJVKWG2','',0,0),
(16,'A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ','registered','vera',1795526395885,'[]','[]','','','','','[]','S7MI37PCUI5BH3QHYX7HX2IBR2','',0,0),
(17,'wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','registered','vera',1795526396196,'[]','[]','','','','','[]','E5QWWUZU5XT4CYGPMH37ZNTHH6','',0,0),
(18,'wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA','activated','vera',1795526396207,'[]','[]','','','assigned-ISTUCULESJY67YQITCKT6H6Z2Q','','[]','E5QWWUZU5XT4CYGPMH37ZNTHH6','',0,0),
(19,'WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','registered','vera',1795526396241,'[]','[]','','','','','[]','7N2HGIQKRYCQO254CNPX662HVG','',0,0),
(20,'WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','activated','vera',1795526396259,'[]','[]','','','assigned-SZWDU4FKDLEJ5DTICPZUSGO2M4','','[]','7N2HGIQKRYCQO254CNPX662HVG','',0,0),
(21,'WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho','doubtful','vera',1795526396319,'[]','[]','provider_doubtful','','','','[]','ILYHZGFGDRIBOSSB4AMCTTHLS5','',0,0),
(22,'R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','registered','initial access token:892673f03fdf18c5',1795526396336,'[]','[]','','','','','[]','L2SSB223K6RYMJRVXCCJHL3J5W','',0,0),
(23,'R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw','activated','initial access token:892673f03fdf18c5',1795526396342,'[]','[]','','','assigned-OACA625CONH53TCRIYX4GWO4PY','','[]','L2SSB223K6RYMJRVXCCJHL3J5W','',0,0),
(24,'OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','registered','vera',1795526396356,'[]','[]','','','','','[]','LYCKMMVKB4QN3FCANNFBAAASTC','',0,0),
(25,'OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','held','vera',1795526396356,'[]','[]','','','','','[]','LYCKMMVKB4QN3FCANNFBAAASTC','',0,0),
(26,'CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','registered','vera',1795526396413,'[]','[]','','','','','[]','BBKTBIBK4XWZJBUSVPE4K3XYJB','',0,0),
(27,'CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','held','vera',1795526396413,'[]','[]','','','','','[]','BBKTBIBK4XWZJBUSVPE4K3XYJB','',0,0),
(28,'OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','approved','oidc-registrar',1795526396449,'[]','[]','','','','','[]','QXJDEIIMPAIUB2PR3RT4IHQTMI','',0,0),
(29,'OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','activated','oidc-registrar',1795526396453,'[]','[]','','','assigned-HZEFM4ZRQOB763PD5UHJUKEJEB','','[]','QXJDEIIMPAIUB2PR3RT4IHQTMI','',0,0),
(30,'h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI','registered','vera',1795526396521,'[]','[]','','','','','[]','ZPAZMYWYMH2MQ7DGS6OIKLGB6S','',0,0),
(31,'h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI','held','vera',1795526396521,'[]','[]','','','','','[]','ZPAZMYWYMH2MQ7DGS6OIKLGB6S','',0,0),
(32,'CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA','failed','oidc-registrar',1795526396553,'[]','[]','not_approved','','','The decision of fay','[]','V55TEHFYXU2MDDZJAFPA5ICSJY','',0,0),
(33,'h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI','removed','vera',1795526396573,'[]','[]','','','','','[]','PLIAK36DFW4LNJ2BRWUSBG5N2M','',0,0),
(34,'xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs','registered','vera',1795526396578,'[]','[]','','','','','[]','EHKY5YEEY62H5WMDO5RSFGM5PC','',0,0),
(35,'xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs','held','vera',1795526396578,'[]','[]','','','','','[]','EHKY5YEEY62H5WMDO5RSFGM5PC','',0,0),
(36,'OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE','held','vera',1795526396630,'["redirectUris"]','[]','','','','','[]','DNFBGMRTBGHXFEQBFXUZWJWPIF','',0,0),
(37,'uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','registered','vera',1795526396634,'[]','[]','','','','','[]','KZ7JLQ5JLJLVXKFA7GZWXX74BW','',0,0),
(38,'uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','activated','vera',1795526396647,'[]','[]','','','assigned-3GUS2THMJ4UOZKFRC2ADW7K7CX','','[]','KZ7JLQ5JLJLVXKFA7GZWXX74BW','',0,0),
(39,'ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','registered','vera',1795526396664,'[]','[]','','','','','[]','WEALNN4DPNIUVUUB4SXDQHXBCG','',0,0),
(40,'ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','activated','vera',1795526396678,'[]','[]','','','assigned-KDK53RV3TBYVBFJ5GKGWOQ73YT','','[]','WEALNN4DPNIUVUUB4SXDQHXBCG','',0,0),
(41,'bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','registered','vera',1795526396685,'[]','[]','','','','','[]','W7UC3SGO6P7ATIJWFCMRNQAB4U','',0,0),
(42,'bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','activated','vera',1795526396693,'[]','[]','','','assigned-OOO7YW75MMDTN6ZUOYR6IWMVKP','','[]','W7UC3SGO6P7ATIJWFCMRNQAB4U','',0,0),
(43,'bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs','missing','system:import',1795526396826,'[]','[]','','','','','[]','','',0,0),
(44,'uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is','differs','system:import',1795526396870,'["clientName"]','[]','','','','','[]','','',0,0),
(45,'ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4','missing','system:import',1795526396871,'[]','[]','provider_doubtful','','','','[]','','',0,0),
(46,'GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','registered','vera',1795526480133,'[]','[]','','','','','[]','X6T2657Q5PF2Y4UFB3KDQK6RRB','',0,0),
(47,'GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','activated','vera',1795526480143,'[]','[]','','','assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK','','[]','X6T2657Q5PF2Y4UFB3KDQK6RRB','',0,0),
(48,'GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE','updated','vera',1795526480193,'["status"]','[]','','','','','[]','5KT554ZPYQIET7RHZKTJYTCADD','',0,0),
(49,'J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8','registered','vera',1795526500381,'[]','[]','','','','','[]','FGBEFDMO4QVGUAECGYUOH2KYN5','',0,0),
(50,'wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','registered','vera',1795526500743,'[]','[]','','','','','[]','JZSVAVHHVPFM7FQFFKNF6IWKRQ','',0,0),
(51,'wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0','held','vera',1795526500743,'[]','[]','','','','','[]','JZSVAVHHVPFM7FQFFKNF6IWKRQ','',0,0),
(52,'xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs','removed','vera',1795526500781,'[]','[]','','','','','[]','WNNLZERQKDOOTXIAI3B4DZSM7V','',0,0);
CREATE TABLE catalog_event (
  seq         integer PRIMARY KEY AUTOINCREMENT,
  partner_id  text NOT NULL,
  policy_id   text NOT NULL,
  kind        text NOT NULL,
  actor       text NOT NULL,
  at_ms       bigint NOT NULL,
  changed     text NOT NULL,
  call_id     text NOT NULL,
  traceparent text NOT NULL
);
INSERT INTO catalog_event (seq,partner_id,policy_id,kind,actor,at_ms,changed,call_id,traceparent) VALUES
(1,'demo-partner','','created','system:catalog',1795526395479,'[]','',''),
(2,'','demo-policy','created','system:catalog',1795526395479,'[]','',''),
(3,'demo-partner','demo-policy','approved','system:catalog',1795526395479,'[]','',''),
(4,'','free','created','ada',1795526395633,'[]','YHNFK2RE45HGA6KIMYSAXRN2D7',''),
(5,'','reviewed','created','ada',1795526395639,'[]','Q4MCHCFZVAQTIJCM6ZOBTYCN6Q',''),
(6,'','old','created','ada',1795526395644,'[]','A6SYBOM7LSHAICKVBT6SZQY4H3',''),
(7,'bank','','created','ada',1795526395652,'[]','QGQOW6V43YAHL2TXXSP7BRSSNA',''),
(8,'bank','free','approved','ada',1795526395655,'[]','Y25NQY5MBLJK6HEMACNZJT6ZS5',''),
(9,'bank','reviewed','approved','ada',1795526395659,'[]','GSVXJOAXC7AIH4YGJN3RYMSXZI',''),
(10,'bank','old','approved','ada',1795526395675,'[]','LC5KQOLBYFVUWNTJGBPFJIQR3F',''),
(11,'shop','','created','ada',1795526395683,'[]','UU2HG6ZILWM2QPAWGLXSZDXYI5',''),
(12,'shop','free','approved','ada',1795526395703,'[]','FYXFQ7CGHPKZWAD7W567E7U5QG',''),
(13,'shop','reviewed','approved','ada',1795526395710,'[]','JB5YTZ5BSQOEPFPJGLKNZOWNDO',''),
(14,'shop','old','approved','ada',1795526395713,'[]','YOYRCSVIBRZJUOX5ZCTVOIHGRI',''),
(15,'bank','old','revoked','ada',1795526395715,'[]','FVVL4SF5UBO3CNCYRCDGH2E5VD','');
CREATE TABLE endpoint (
  id                text PRIMARY KEY,
  name              text NOT NULL,
  url               text NOT NULL,
  format            text NOT NULL, -- empty for events, else the chat that gets messages
  events            text NOT NULL, -- JSON
  policy_keys       text NOT NULL, -- JSON; patterns of policyIds
  include           text NOT NULL, -- JSON; parts of messages
  signature         text NOT NULL CHECK (signature IN ('v1', 'v1a', 'both')),
  enabled           integer NOT NULL,
  disabled_reason   text NOT NULL,
  disabled_ms       integer NOT NULL,
  sealed            text NOT NULL,
  hint              text NOT NULL,
  public_key        text NOT NULL,
  previous_sealed   text NOT NULL,
  previous_hint     text NOT NULL,
  previous_public   text NOT NULL,
  previous_until_ms integer NOT NULL,
  failures          integer NOT NULL, -- in a row
  failing_since_ms  integer NOT NULL,
  paused_until_ms   integer NOT NULL,
  created_by        text NOT NULL, -- JSON
  created_ms        integer NOT NULL,
  updated_ms        integer NOT NULL,
  rev               integer NOT NULL,
  CONSTRAINT endpoint_name UNIQUE (name)
);
INSERT INTO endpoint (id,name,url,format,events,policy_keys,include,signature,enabled,disabled_reason,disabled_ms,sealed,hint,public_key,previous_sealed,previous_hint,previous_public,previous_until_ms,failures,failing_since_ms,paused_until_ms,created_by,created_ms,updated_ms,rev) VALUES
('01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','','["*"]','["*"]','','v1',1,'',0,'dump:Mgqdf-Jfp_5R1QENJjgd8piHgQOmtbwGs7Ho04hUw8t8eVfG2YSW9apYN2AoiIskSH6gsj4svsQYqp1xrVb4EqKIYI370NFyyKr9FZsfqt8cbKJblW8MvCxnRYsYXmTZEzp2sR00TIqqupTQop2OPGLdvVMUf-pWTmyJxj4h_z9HFffIdV4lE9goWbmFuUai-C9CwvEuBoucXrAnuTEKlWio_iNDYtCGN9p9fQ','6zs=','whpk_ZI9RlC1/kbE99kYC8ZwUKukzzZnYAPiVPh6KJYkvOjk=','','','',0,0,0,0,'{"id":"ada"}',1795526395535,1795526395535,1),
('01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','','["client.*"]','["*"]','','v1',0,'admin',1795526500369,'dump:Xt8Rg2V5-kEGA_xqA0vZSBrUC-PkUl0ef-yGLaePRMwZjrMAu4rX6iyNPLrbziBGsCT10wj6f2JqzUjJzrXXr9a6OrOUL8CaRwkG-hRPwirm6R-cYJuyGXsAqL3wi_eVpJHsIarj7aivfzp88rF8Lw7mZfo61-I6N2R-bttKXODRjiNs6g0UbSLTEoYlmJMA54ZjNd00JPMrgwXcAff9iHD36w6GW7aYUA6ogQ','Rhs=','whpk_roFvrs2f38DBc1Ff9wcx8iig0oCzCuCb0KW74FgnCgE=','','','',0,7,1795526395734,1795526606307,'{"id":"ada"}',1795526395557,1795526500369,2),
('01a20db6-86c8-78cb-9360-ea4cf14ee830','gone','http://127.0.0.1:18476/gone','','["client.activated"]','["*"]','','v1',0,'gone',1795526395748,'dump:PKz6j4ehAUU9j3RwXjao0eQGh71KFT3haB7LQ2i1JfvH3g7OjkcnArQtAaK-mFV2GJJeTbyVzvC_Xqum3-LZ5646g9KWFFy2IDCo9NwwV9J5nW7m-ZA9hv9n4elqir-UjjuHvIyU9o-UFP65SN_ONTtBd1jZLWlXVeI7_bvCQwKHIJcaG79qrePanUdToQNds9zGMbjrQAtIDJXEYQrzkJ3UAA4spO1J2g85og','xFQ=','whpk_WXGGbDZ0UpJAc65kXmjRgP3xdH0o4QzMZYxV6deslJw=','','','',0,1,1795526395748,0,'{"id":"ada"}',1795526395592,1795526395748,2),
('01a20db6-86d2-7461-91bd-7d8fca75942c','slow','http://127.0.0.1:18476/slow','','["client.deactivated"]','["*"]','','v1',1,'',0,'dump:T0uwPhJHugkWUhnvzpmUVMTdtoMCbDWAHLT2Hq9zZYAiq6EEcXE4odIZiUcDvseRhBS1y12s_gcnKVj2Dp5PD4Zkuu5QkBr3iO2YTGwjyZrLIBxILt_P17csn-8aY_-xBo4rMBNoNxr_ooM021glo7eOFXJmuRclfmmFm_Wa4spPamn8TdiHTG0LqfoS_AtqrrrSLttglw_GApWOsRiGIHZUQ4ox_ChjnFpitQ','PfA=','whpk_Xe/Rrkb7ZyzS3LM7ksa5+xhR7G1c1X/m1pMmlZo0qNI=','','','',0,4,1795526405786,0,'{"id":"ada"}',1795526395602,1795526395602,1),
('01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','v1a',1,'',0,'dump:i6vTIvAqHuLVPRsFH8Fn8eel4NcPGuQ9iuPzsk2cu0e1_j1G0LogYroD3yHYF81QTx5Mv0jgHKy3xOdRK_162gFDvKkQTCK_hjSPAUPhb4woAbRsTi9nBhnFrfxEJeOLnfH0iST3bv_RS1HTjSdZzybXxshWcm0qJjVk404g4FS2nWpxqv9Mfo0pYKA9D_McoondgofbvuBr8gbDYdSSz277lpBPi4bEX7lhzg','0vA=','whpk_WdNsgD+ve6AM8TycYlRfFyRx8SX0NZ1IBvs9Pqp+3xc=','','','',0,0,0,0,'{"id":"ada"}',1795526395612,1795526395612,1),
('01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','both',1,'',0,'dump:M8UEyr58YK8kmPVO4TOCp8SEXuI3913d7VdbSmo9xqDHWtTOmXqxXchawwKVQYxNLTNa5zW_cv9gEkAN8ZJlfYUlyyadS8oQo67d7IvdUhL_hyeAOTqNuX13_x_I2Snq3S2Z3iT21YclyVlNvO5qUxailqnQ_MToingPomXvrOzw0Pan5wsyCQbdJ5VDIL6RUsYNhbBvb26p0dOeODNm3C7bnswzYhBH9UTZPw','/WM=','whpk_J7EnAw5AjfpfapmfZ9ohb3v5uLnPCPaZXweArOOvfEk=','','','',0,0,0,0,'{"id":"ada"}',1795526395623,1795526395623,1);
CREATE TABLE message (
  event_id    text NOT NULL,
  variant     text NOT NULL, -- the parts that it includes
  payload     text NOT NULL, -- JSON
  traceparent text NOT NULL,
  PRIMARY KEY (event_id, variant)
);
INSERT INTO message (event_id,variant,payload,traceparent) VALUES
('01a20db6-8746-7d71-93ad-439c8a88f1a0','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.717Z","data":{"eventId":"01a20db6-8746-7d71-93ad-439c8a88f1a0","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8754-7e27-a667-85078914f4a0','','{"type":"client.activated","timestamp":"2026-11-24T13:19:55.732Z","data":{"eventId":"01a20db6-8754-7e27-a667-85078914f4a0","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c","providerClientId":"assigned-JEN33XRFGAJ3SNYNBJ7Q2PH7VH","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8759-7a6a-9fdc-b65d638b5a90','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.737Z","data":{"eventId":"01a20db6-8759-7a6a-9fdc-b65d638b5a90","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8761-7d0b-9344-674d6e906079','','{"type":"client.activated","timestamp":"2026-11-24T13:19:55.744Z","data":{"eventId":"01a20db6-8761-7d0b-9344-674d6e906079","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs","providerClientId":"assigned-2NBSETUVDUEXVJLSDBX6CFAUGL","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8773-731f-a9bd-d877aef07495','','{"type":"client.deactivated","timestamp":"2026-11-24T13:19:55.762Z","data":{"eventId":"01a20db6-8773-731f-a9bd-d877aef07495","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs","providerClientId":"assigned-2NBSETUVDUEXVJLSDBX6CFAUGL","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20db6-877b-7ae4-866b-7f37a0ec1101','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.771Z","data":{"eventId":"01a20db6-877b-7ae4-866b-7f37a0ec1101","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8787-772b-a929-0e06b78f9489','','{"type":"client.activated","timestamp":"2026-11-24T13:19:55.782Z","data":{"eventId":"01a20db6-8787-772b-a929-0e06b78f9489","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c","providerClientId":"assigned-HHG27ERWBBLLXQF67I4PNODDSX","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8794-7480-b4d1-21dc0a4912d4','','{"type":"client.deactivated","timestamp":"2026-11-24T13:19:55.795Z","data":{"eventId":"01a20db6-8794-7480-b4d1-21dc0a4912d4","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c","providerClientId":"assigned-HHG27ERWBBLLXQF67I4PNODDSX","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}',''),
('01a20db6-87a7-7a6b-bcc2-8bef7171b951','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.815Z","data":{"eventId":"01a20db6-87a7-7a6b-bcc2-8bef7171b951","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-87ae-7c95-a7e3-c16dfafaf8ba','','{"type":"client.activated","timestamp":"2026-11-24T13:19:55.822Z","data":{"eventId":"01a20db6-87ae-7c95-a7e3-c16dfafaf8ba","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM","providerClientId":"assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-87bc-7999-b413-c1ff678453f9','','{"type":"client.updated","timestamp":"2026-11-24T13:19:55.835Z","data":{"eventId":"01a20db6-87bc-7999-b413-c1ff678453f9","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM","providerClientId":"assigned-O4RRZLRUBQZDGAWLJKL2F6TT5U","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}',''),
('01a20db6-87c2-753a-bb10-0f29400f67d1','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.841Z","data":{"eventId":"01a20db6-87c2-753a-bb10-0f29400f67d1","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-87cd-7c2f-99ac-aa5578914b35','','{"type":"client.failed","timestamp":"2026-11-24T13:19:55.853Z","data":{"eventId":"01a20db6-87cd-7c2f-99ac-aa5578914b35","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}',''),
('01a20db6-87d4-7841-84e8-73ee43a781eb','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.858Z","data":{"eventId":"01a20db6-87d4-7841-84e8-73ee43a781eb","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-87de-7533-8122-810f52386bb5','','{"type":"client.activated","timestamp":"2026-11-24T13:19:55.869Z","data":{"eventId":"01a20db6-87de-7533-8122-810f52386bb5","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-E3LCJGLDCOU2AZCYMGGC6NYSNH","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-87ed-76b1-8117-f51b0b9e4fd9','','{"type":"client.registered","timestamp":"2026-11-24T13:19:55.885Z","data":{"eventId":"01a20db6-87ed-76b1-8117-f51b0b9e4fd9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8925-718b-919a-826466b4fe08','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.196Z","data":{"eventId":"01a20db6-8925-718b-919a-826466b4fe08","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-892f-7ee3-8c2c-283715dff8f4','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.207Z","data":{"eventId":"01a20db6-892f-7ee3-8c2c-283715dff8f4","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA","providerClientId":"assigned-ISTUCULESJY67YQITCKT6H6Z2Q","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8951-794a-ac55-51d06b66d71d','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.241Z","data":{"eventId":"01a20db6-8951-794a-ac55-51d06b66d71d","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8965-7a94-948e-88985f7892a9','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.259Z","data":{"eventId":"01a20db6-8965-7a94-948e-88985f7892a9","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho","providerClientId":"assigned-SZWDU4FKDLEJ5DTICPZUSGO2M4","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-89b1-780d-8200-19b2440ec738','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.336Z","data":{"eventId":"01a20db6-89b1-780d-8200-19b2440ec738","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:892673f03fdf18c5"}}',''),
('01a20db6-89b7-7888-8a53-4c5286b110b4','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.342Z","data":{"eventId":"01a20db6-89b7-7888-8a53-4c5286b110b4","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw","providerClientId":"assigned-OACA625CONH53TCRIYX4GWO4PY","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:892673f03fdf18c5"}}',''),
('01a20db6-89c4-7e68-b7dd-7cdf589b64ac','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.356Z","data":{"eventId":"01a20db6-89c4-7e68-b7dd-7cdf589b64ac","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-89ff-7cee-9205-2b3e8b7ad1b2','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.413Z","data":{"eventId":"01a20db6-89ff-7cee-9205-2b3e8b7ad1b2","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8a25-7deb-9b1d-c1cbe0a4d019','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.453Z","data":{"eventId":"01a20db6-8a25-7deb-9b1d-c1cbe0a4d019","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE","providerClientId":"assigned-HZEFM4ZRQOB763PD5UHJUKEJEB","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}',''),
('01a20db6-8a6a-778f-b6fe-e1f0e40518f6','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.521Z","data":{"eventId":"01a20db6-8a6a-778f-b6fe-e1f0e40518f6","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8a8a-7d4d-89e6-f89e44f7b991','','{"type":"client.failed","timestamp":"2026-11-24T13:19:56.553Z","data":{"eventId":"01a20db6-8a8a-7d4d-89e6-f89e44f7b991","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}',''),
('01a20db6-8a9f-7050-a441-863c9c439ccd','','{"type":"client.failed","timestamp":"2026-11-24T13:19:56.573Z","data":{"eventId":"01a20db6-8a9f-7050-a441-863c9c439ccd","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8aa3-7467-9911-8157a98a63a5','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.578Z","data":{"eventId":"01a20db6-8aa3-7467-9911-8157a98a63a5","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8adc-7657-be46-79114e1d8499','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.634Z","data":{"eventId":"01a20db6-8adc-7657-be46-79114e1d8499","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.647Z","data":{"eventId":"01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is","providerClientId":"assigned-3GUS2THMJ4UOZKFRC2ADW7K7CX","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8af9-77c9-95a7-55dc9d68117c','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.664Z","data":{"eventId":"01a20db6-8af9-77c9-95a7-55dc9d68117c","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8b07-766d-a34c-790315620291','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.678Z","data":{"eventId":"01a20db6-8b07-766d-a34c-790315620291","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4","providerClientId":"assigned-KDK53RV3TBYVBFJ5GKGWOQ73YT","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8b0d-7dde-ab32-a6f73956da4b','','{"type":"client.registered","timestamp":"2026-11-24T13:19:56.685Z","data":{"eventId":"01a20db6-8b0d-7dde-ab32-a6f73956da4b","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db6-8b15-79ea-9ee1-f45e05fd6a9c','','{"type":"client.activated","timestamp":"2026-11-24T13:19:56.693Z","data":{"eventId":"01a20db6-8b15-79ea-9ee1-f45e05fd6a9c","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs","providerClientId":"assigned-OOO7YW75MMDTN6ZUOYR6IWMVKP","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db7-d106-751a-a31f-e8dd7cd1897d','','{"type":"client.registered","timestamp":"2026-11-24T13:21:20.133Z","data":{"eventId":"01a20db7-d106-751a-a31f-e8dd7cd1897d","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db7-d10f-7d52-9d9a-4180241adb56','','{"type":"client.activated","timestamp":"2026-11-24T13:21:20.143Z","data":{"eventId":"01a20db7-d10f-7d52-9d9a-4180241adb56","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE","providerClientId":"assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db7-d141-7c26-bcc8-65244ed74e77','','{"type":"client.deactivated","timestamp":"2026-11-24T13:21:20.193Z","data":{"eventId":"01a20db7-d141-7c26-bcc8-65244ed74e77","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE","providerClientId":"assigned-3R6N3F24Q7TGV2PJ7SHXK7XIPK","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20db8-201e-74ed-9052-5a6df855ebbc','','{"type":"client.registered","timestamp":"2026-11-24T13:21:40.381Z","data":{"eventId":"01a20db8-201e-74ed-9052-5a6df855ebbc","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db8-2188-7313-bb04-f88d571c1a65','','{"type":"client.registered","timestamp":"2026-11-24T13:21:40.743Z","data":{"eventId":"01a20db8-2188-7313-bb04-f88d571c1a65","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20db8-21ae-7678-bd62-a7d59bdf82b1','','{"type":"client.failed","timestamp":"2026-11-24T13:21:40.781Z","data":{"eventId":"01a20db8-21ae-7678-bd62-a7d59bdf82b1","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}','');
CREATE TABLE delivery (
  id               text PRIMARY KEY,
  event_id         text NOT NULL,
  variant          text NOT NULL, -- of the message
  event_type       text NOT NULL,
  client_id        text,
  sequence         integer NOT NULL,
  endpoint_id      text,
  endpoint         text NOT NULL,
  url              text NOT NULL,
  target           text NOT NULL,
  status           text NOT NULL CHECK (status IN ('sending', 'delivered', 'failed', 'cancelled')),
  rare_status      text GENERATED ALWAYS AS (CASE WHEN status IN ('failed', 'cancelled') THEN status END) VIRTUAL,
  cycle            integer NOT NULL,
  attempt          integer NOT NULL,
  crashes          integer NOT NULL,
  last_attempt_ms  integer NOT NULL,
  last_status_code integer NOT NULL,
  last_error       text NOT NULL,
  last_duration_ms integer NOT NULL,
  response_excerpt text NOT NULL,
  delivered_ms     integer NOT NULL,
  created_ms       integer NOT NULL,
  updated_ms       integer NOT NULL,
  CONSTRAINT delivery_target UNIQUE (event_id, target)
);
INSERT INTO delivery (id,event_id,variant,event_type,client_id,sequence,endpoint_id,endpoint,url,target,status,cycle,attempt,crashes,last_attempt_ms,last_status_code,last_error,last_duration_ms,response_excerpt,delivered_ms,created_ms,updated_ms) VALUES
('01a20db6-8746-7dc3-80c4-28f3ea816e8c','01a20db6-8746-7d71-93ad-439c8a88f1a0','','client.registered','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395733,204,'',1,'',1795526395734,1795526395717,1795526395734),
('01a20db6-8746-7dc7-bdf6-39e436a39a1b','01a20db6-8746-7d71-93ad-439c8a88f1a0','','client.registered','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395733,503,'status 503',1,'',0,1795526395717,1795526500369),
('01a20db6-8746-7dc8-9236-4760f38bf579','01a20db6-8746-7d71-93ad-439c8a88f1a0','','client.registered','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395734,204,'',2,'',1795526395736,1795526395717,1795526395736),
('01a20db6-8746-7dc9-98f2-17a85aa78f53','01a20db6-8746-7d71-93ad-439c8a88f1a0','','client.registered','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395733,204,'',1,'',1795526395734,1795526395717,1795526395734),
('01a20db6-8754-7e7d-ae40-f5ccfb5fe194','01a20db6-8754-7e27-a667-85078914f4a0','','client.activated','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395749,204,'',0,'',1795526395749,1795526395732,1795526395749),
('01a20db6-8754-7e81-9b18-057934f9e6dc','01a20db6-8754-7e27-a667-85078914f4a0','','client.activated','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395749,503,'status 503',0,'',0,1795526395732,1795526500369),
('01a20db6-8754-7e82-9205-c41a7726e523','01a20db6-8754-7e27-a667-85078914f4a0','','client.activated','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',2,'01a20db6-86c8-78cb-9360-ea4cf14ee830','gone','http://127.0.0.1:18476/gone','01a20db6-86c8-78cb-9360-ea4cf14ee830','failed',1,1,0,1795526395747,410,'status 410',1,'',0,1795526395732,1795526395748),
('01a20db6-8754-7e83-9269-cabf2dba199f','01a20db6-8754-7e27-a667-85078914f4a0','','client.activated','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395749,204,'',0,'',1795526395749,1795526395732,1795526395749),
('01a20db6-8754-7e8d-9f16-2ce61f4706f8','01a20db6-8754-7e27-a667-85078914f4a0','','client.activated','ZMf42YfkjgMIoa4GJEHcIlQVpaVuo62sZ4m2Yvq2d-c',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395747,204,'',2,'',1795526395749,1795526395732,1795526395749),
('01a20db6-8759-7aba-a4e2-a3c0c0f413b7','01a20db6-8759-7a6a-9fdc-b65d638b5a90','','client.registered','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395747,204,'',2,'',1795526395749,1795526395737,1795526395749),
('01a20db6-8759-7abc-befa-e192271f9b23','01a20db6-8759-7a6a-9fdc-b65d638b5a90','','client.registered','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395747,503,'status 503',2,'',0,1795526395737,1795526500369),
('01a20db6-8759-7abd-b282-c2b73a4d47cf','01a20db6-8759-7a6a-9fdc-b65d638b5a90','','client.registered','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395747,204,'',2,'',1795526395749,1795526395737,1795526395749),
('01a20db6-8759-7abe-824f-941a9d51327d','01a20db6-8759-7a6a-9fdc-b65d638b5a90','','client.registered','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395748,204,'',1,'',1795526395749,1795526395737,1795526395749),
('01a20db6-8761-7da2-afab-bda2dd5f680f','01a20db6-8761-7d0b-9344-674d6e906079','','client.activated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395761,204,'',1,'',1795526395762,1795526395744,1795526395762),
('01a20db6-8761-7da4-a946-f6943ed93c8e','01a20db6-8761-7d0b-9344-674d6e906079','','client.activated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395762,503,'status 503',1,'',0,1795526395744,1795526500369),
('01a20db6-8761-7da5-a9f2-d3cdc0837d50','01a20db6-8761-7d0b-9344-674d6e906079','','client.activated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',2,'01a20db6-86c8-78cb-9360-ea4cf14ee830','gone','http://127.0.0.1:18476/gone','01a20db6-86c8-78cb-9360-ea4cf14ee830','cancelled',1,0,0,0,0,'',0,'',0,1795526395744,1795526395747),
('01a20db6-8761-7da6-bcde-1ede00dcd0bf','01a20db6-8761-7d0b-9344-674d6e906079','','client.activated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395762,204,'',1,'',1795526395763,1795526395744,1795526395763),
('01a20db6-8761-7da7-b52b-a8cf0955ca7a','01a20db6-8761-7d0b-9344-674d6e906079','','client.activated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395762,204,'',1,'',1795526395763,1795526395744,1795526395763),
('01a20db6-8773-736c-8ce3-055eebe223a1','01a20db6-8773-731f-a9bd-d877aef07495','','client.deactivated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',3,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395778,204,'',3,'',1795526395781,1795526395762,1795526395781),
('01a20db6-8773-736f-bf6b-155db891207b','01a20db6-8773-731f-a9bd-d877aef07495','','client.deactivated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',3,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395780,503,'status 503',1,'',0,1795526395762,1795526500369),
('01a20db6-8773-7371-ada1-2eb0449895d3','01a20db6-8773-731f-a9bd-d877aef07495','','client.deactivated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',3,'01a20db6-86d2-7461-91bd-7d8fca75942c','slow','http://127.0.0.1:18476/slow','01a20db6-86d2-7461-91bd-7d8fca75942c','sending',1,2,0,1795526467029,0,'timeout',10009,'',0,1795526395762,1795526477038),
('01a20db6-8773-7372-9e41-ae9d3de82a2b','01a20db6-8773-731f-a9bd-d877aef07495','','client.deactivated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',3,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395781,204,'',0,'',1795526395781,1795526395762,1795526395781),
('01a20db6-8773-7374-aa3f-e52e4e6aa303','01a20db6-8773-731f-a9bd-d877aef07495','','client.deactivated','qxE6se3_PTowH6tyarW4RLaUHyyI_US21AiqQky-tqs',3,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395781,204,'',0,'',1795526395781,1795526395762,1795526395781),
('01a20db6-877b-7b3b-a4b2-3d46e9898a5e','01a20db6-877b-7ae4-866b-7f37a0ec1101','','client.registered','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395784,204,'',2,'',1795526395786,1795526395771,1795526395786),
('01a20db6-877b-7b3d-8e08-0183cfdbef43','01a20db6-877b-7ae4-866b-7f37a0ec1101','','client.registered','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395784,503,'status 503',2,'',0,1795526395771,1795526500369),
('01a20db6-877b-7b3e-99ba-0a8ca26ced1f','01a20db6-877b-7ae4-866b-7f37a0ec1101','','client.registered','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395786,204,'',0,'',1795526395786,1795526395771,1795526395786),
('01a20db6-877b-7b40-894a-3eb2c2d2d84d','01a20db6-877b-7ae4-866b-7f37a0ec1101','','client.registered','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395786,204,'',0,'',1795526395786,1795526395771,1795526395786),
('01a20db6-8787-77f8-90ae-266fd26c0258','01a20db6-8787-772b-a929-0e06b78f9489','','client.activated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395799,204,'',2,'',1795526395801,1795526395782,1795526395801),
('01a20db6-8787-77fa-b3f2-dd9bea0fe918','01a20db6-8787-772b-a929-0e06b78f9489','','client.activated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395801,503,'status 503',1,'',0,1795526395782,1795526500369),
('01a20db6-8787-77fc-8a4a-d8998d6ee703','01a20db6-8787-772b-a929-0e06b78f9489','','client.activated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395801,204,'',1,'',1795526395802,1795526395782,1795526395802),
('01a20db6-8787-77fd-81a5-1f447deeb520','01a20db6-8787-772b-a929-0e06b78f9489','','client.activated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395801,204,'',1,'',1795526395802,1795526395782,1795526395802),
('01a20db6-8794-74cd-a6ca-339e9362ece4','01a20db6-8794-7480-b4d1-21dc0a4912d4','','client.deactivated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',3,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395814,204,'',0,'',1795526395814,1795526395795,1795526395814),
('01a20db6-8794-74cf-8b29-28632d929ba7','01a20db6-8794-7480-b4d1-21dc0a4912d4','','client.deactivated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',3,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526395810,503,'status 503',4,'',0,1795526395795,1795526500369),
('01a20db6-8794-74d1-a0b4-c462ba428c05','01a20db6-8794-7480-b4d1-21dc0a4912d4','','client.deactivated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',3,'01a20db6-86d2-7461-91bd-7d8fca75942c','slow','http://127.0.0.1:18476/slow','01a20db6-86d2-7461-91bd-7d8fca75942c','sending',1,2,0,1795526470123,0,'timeout',10001,'',0,1795526395795,1795526480124),
('01a20db6-8794-74d2-9cf3-d422e5340788','01a20db6-8794-7480-b4d1-21dc0a4912d4','','client.deactivated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',3,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395813,204,'',1,'',1795526395814,1795526395795,1795526395814),
('01a20db6-8794-74d3-85b0-93c3fca8a7eb','01a20db6-8794-7480-b4d1-21dc0a4912d4','','client.deactivated','HRXa_48Vg3HtUYggPeNfLZAmMcclelTfiSMW13Ppv0c',3,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395813,204,'',1,'',1795526395814,1795526395795,1795526395814),
('01a20db6-87a7-7ab4-be9b-9870759f2843','01a20db6-87a7-7a6b-bcc2-8bef7171b951','','client.registered','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395831,204,'',1,'',1795526395832,1795526395815,1795526395832),
('01a20db6-87a7-7ab6-af10-4f128bbd9c3c','01a20db6-87a7-7a6b-bcc2-8bef7171b951','','client.registered','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526425824,503,'status 503',0,'',0,1795526395815,1795526500369),
('01a20db6-87a7-7ab7-8199-a0026403cb9f','01a20db6-87a7-7a6b-bcc2-8bef7171b951','','client.registered','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395831,204,'',1,'',1795526395832,1795526395815,1795526395832),
('01a20db6-87a7-7ac2-a766-db7b368873b7','01a20db6-87a7-7a6b-bcc2-8bef7171b951','','client.registered','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395832,204,'',0,'',1795526395832,1795526395815,1795526395832),
('01a20db6-87ae-7ceb-be5e-848e9ae17aef','01a20db6-87ae-7c95-a7e3-c16dfafaf8ba','','client.activated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395835,204,'',1,'',1795526395836,1795526395822,1795526395836),
('01a20db6-87ae-7ced-b8f2-4e1f46bfddfc','01a20db6-87ae-7c95-a7e3-c16dfafaf8ba','','client.activated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,1,0,1795526486306,503,'status 503',1,'',0,1795526395822,1795526500369),
('01a20db6-87ae-7cef-9b2b-33a6ddcd478c','01a20db6-87ae-7c95-a7e3-c16dfafaf8ba','','client.activated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395835,204,'',1,'',1795526395836,1795526395822,1795526395836),
('01a20db6-87ae-7d05-b5cd-1cf835d24c35','01a20db6-87ae-7c95-a7e3-c16dfafaf8ba','','client.activated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395835,204,'',1,'',1795526395836,1795526395822,1795526395836),
('01a20db6-87bc-79e7-a8f9-bee93e407b40','01a20db6-87bc-7999-b413-c1ff678453f9','','client.updated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',3,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395850,204,'',1,'',1795526395851,1795526395835,1795526395851),
('01a20db6-87bc-79e9-b431-aaad6d0b7f3a','01a20db6-87bc-7999-b413-c1ff678453f9','','client.updated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',3,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395835,1795526500369),
('01a20db6-87bc-79eb-8be9-1b315f39a893','01a20db6-87bc-7999-b413-c1ff678453f9','','client.updated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',3,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395850,204,'',1,'',1795526395851,1795526395835,1795526395851),
('01a20db6-87bc-79ec-b029-a3c8a84786f4','01a20db6-87bc-7999-b413-c1ff678453f9','','client.updated','qUkF8UCZ5q1kW6MWykO_jrMFiGHpFVPjOLvxp7RKbqM',3,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395850,204,'',1,'',1795526395851,1795526395835,1795526395851),
('01a20db6-87c2-7589-b3af-eb547cdbc3d7','01a20db6-87c2-753a-bb10-0f29400f67d1','','client.registered','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395858,204,'',0,'',1795526395858,1795526395841,1795526395858),
('01a20db6-87c2-758b-ad11-4f573af7b2f3','01a20db6-87c2-753a-bb10-0f29400f67d1','','client.registered','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395841,1795526500369),
('01a20db6-87c2-758c-ba40-05b503ce8c2a','01a20db6-87c2-753a-bb10-0f29400f67d1','','client.registered','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395857,204,'',1,'',1795526395858,1795526395841,1795526395858),
('01a20db6-87c2-758d-b979-a3ce4fee5f17','01a20db6-87c2-753a-bb10-0f29400f67d1','','client.registered','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395858,204,'',1,'',1795526395859,1795526395841,1795526395859),
('01a20db6-87cd-7cea-965e-df54dbe551df','01a20db6-87cd-7c2f-99ac-aa5578914b35','','client.failed','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395865,204,'',1,'',1795526395866,1795526395853,1795526395866),
('01a20db6-87cd-7ced-8c3f-7879084a9dea','01a20db6-87cd-7c2f-99ac-aa5578914b35','','client.failed','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395853,1795526500369),
('01a20db6-87cd-7cee-9dcd-207288b580aa','01a20db6-87cd-7c2f-99ac-aa5578914b35','','client.failed','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395866,204,'',1,'',1795526395867,1795526395853,1795526395867),
('01a20db6-87cd-7cef-8e26-5ee0e6a92d89','01a20db6-87cd-7c2f-99ac-aa5578914b35','','client.failed','6BPDntoHsxOkVLiNjOBtVYPdU9Rbd9D_73rRWUZaHE0',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395866,204,'',1,'',1795526395867,1795526395853,1795526395867),
('01a20db6-87d4-788d-9583-28a79cc43d6e','01a20db6-87d4-7841-84e8-73ee43a781eb','','client.registered','of-the-provider',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395888,204,'',4,'',1795526395892,1795526395858,1795526395892),
('01a20db6-87d4-7890-8b62-2f0d9e6f7a11','01a20db6-87d4-7841-84e8-73ee43a781eb','','client.registered','of-the-provider',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395858,1795526500369),
('01a20db6-87d4-7891-a8c6-da477da48cb7','01a20db6-87d4-7841-84e8-73ee43a781eb','','client.registered','of-the-provider',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395889,204,'',1,'',1795526395890,1795526395858,1795526395890),
('01a20db6-87d4-7892-9065-f649a2477a54','01a20db6-87d4-7841-84e8-73ee43a781eb','','client.registered','of-the-provider',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395882,204,'',7,'',1795526395889,1795526395858,1795526395889),
('01a20db6-87de-758d-a8fb-602a1af68274','01a20db6-87de-7533-8122-810f52386bb5','','client.activated','of-the-provider',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395901,204,'',2,'',1795526395903,1795526395869,1795526395903),
('01a20db6-87de-7590-8164-e61889a7b1f2','01a20db6-87de-7533-8122-810f52386bb5','','client.activated','of-the-provider',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395869,1795526500369),
('01a20db6-87de-7591-b408-c84f2e638a0f','01a20db6-87de-7533-8122-810f52386bb5','','client.activated','of-the-provider',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395902,204,'',1,'',1795526395903,1795526395869,1795526395903),
('01a20db6-87de-7592-925d-93e60933f7bb','01a20db6-87de-7533-8122-810f52386bb5','','client.activated','of-the-provider',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395902,204,'',1,'',1795526395903,1795526395869,1795526395903),
('01a20db6-87ed-7803-a0d3-b62bc6dcc521','01a20db6-87ed-76b1-8117-f51b0b9e4fd9','','client.registered','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526395901,204,'',1,'',1795526395902,1795526395885,1795526395902),
('01a20db6-87ed-7805-906a-55ae65a8559e','01a20db6-87ed-76b1-8117-f51b0b9e4fd9','','client.registered','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526395885,1795526500369),
('01a20db6-87ed-7806-95ee-03b7927d17e4','01a20db6-87ed-76b1-8117-f51b0b9e4fd9','','client.registered','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526395902,204,'',0,'',1795526395902,1795526395885,1795526395902),
('01a20db6-87ed-7807-b6b6-39e6e8f65f8e','01a20db6-87ed-76b1-8117-f51b0b9e4fd9','','client.registered','A37wktUQDHWIz-cA3JVrPkiX1CYTf9A81g6l5NvEpIQ',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526395902,204,'',0,'',1795526395902,1795526395885,1795526395902),
('01a20db6-8925-71c8-9346-b82e36304c13','01a20db6-8925-718b-919a-826466b4fe08','','client.registered','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396211,204,'',0,'',1795526396211,1795526396196,1795526396211),
('01a20db6-8925-71ca-9c02-bfd0997bc9b9','01a20db6-8925-718b-919a-826466b4fe08','','client.registered','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396196,1795526500369),
('01a20db6-8925-71cb-803b-d385f77c8726','01a20db6-8925-718b-919a-826466b4fe08','','client.registered','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396211,204,'',0,'',1795526396211,1795526396196,1795526396211),
('01a20db6-8925-71ce-8d5d-ec711926b402','01a20db6-8925-718b-919a-826466b4fe08','','client.registered','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396210,204,'',1,'',1795526396211,1795526396196,1795526396211),
('01a20db6-8930-7011-910b-5f8200f091c5','01a20db6-892f-7ee3-8c2c-283715dff8f4','','client.activated','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396223,204,'',1,'',1795526396224,1795526396207,1795526396224),
('01a20db6-8930-7014-a7c7-59d85524ee2b','01a20db6-892f-7ee3-8c2c-283715dff8f4','','client.activated','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396207,1795526500369),
('01a20db6-8930-7015-ad92-19beae11c3fd','01a20db6-892f-7ee3-8c2c-283715dff8f4','','client.activated','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396223,204,'',1,'',1795526396224,1795526396207,1795526396224),
('01a20db6-8930-7016-99a4-ab0aff592c8e','01a20db6-892f-7ee3-8c2c-283715dff8f4','','client.activated','wsC0W9jRIjdO-A7Kc-5E5Y3zm9AysvAsp3MuAKPcAGA',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396223,204,'',1,'',1795526396224,1795526396207,1795526396224),
('01a20db6-8951-79a7-9a83-6f042a2023ca','01a20db6-8951-794a-ac55-51d06b66d71d','','client.registered','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396260,204,'',2,'',1795526396262,1795526396241,1795526396262),
('01a20db6-8951-79a9-afd1-3f03dc48f10a','01a20db6-8951-794a-ac55-51d06b66d71d','','client.registered','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396241,1795526500369),
('01a20db6-8951-79aa-91a0-9a1efaca7aa1','01a20db6-8951-794a-ac55-51d06b66d71d','','client.registered','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396262,204,'',0,'',1795526396262,1795526396241,1795526396262),
('01a20db6-8951-79ac-8ef8-e9da2ba930d6','01a20db6-8951-794a-ac55-51d06b66d71d','','client.registered','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396261,204,'',1,'',1795526396262,1795526396241,1795526396262),
('01a20db6-8965-7af2-9997-96f129ddea85','01a20db6-8965-7a94-948e-88985f7892a9','','client.activated','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396289,204,'',1,'',1795526396290,1795526396259,1795526396290),
('01a20db6-8965-7af3-8735-05308d58b1fd','01a20db6-8965-7a94-948e-88985f7892a9','','client.activated','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396259,1795526500369),
('01a20db6-8965-7af4-8aba-7a789ec6fc37','01a20db6-8965-7a94-948e-88985f7892a9','','client.activated','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396289,204,'',1,'',1795526396290,1795526396259,1795526396290),
('01a20db6-8965-7af6-8efd-5bb53835dd2a','01a20db6-8965-7a94-948e-88985f7892a9','','client.activated','WRLPL3crTNGAYSKXNaEH7GRn5U9Lpvh_hGMNZf1HYho',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396290,204,'',0,'',1795526396290,1795526396259,1795526396290),
('01a20db6-89b1-7856-849b-11b3938aa393','01a20db6-89b1-780d-8200-19b2440ec738','','client.registered','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396344,204,'',1,'',1795526396345,1795526396336,1795526396345),
('01a20db6-89b1-7859-ab8e-944f7e43457b','01a20db6-89b1-780d-8200-19b2440ec738','','client.registered','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396336,1795526500369),
('01a20db6-89b1-785a-8b06-adff9c858e60','01a20db6-89b1-780d-8200-19b2440ec738','','client.registered','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396344,204,'',1,'',1795526396345,1795526396336,1795526396345),
('01a20db6-89b1-785b-bd22-5974f5cf8f12','01a20db6-89b1-780d-8200-19b2440ec738','','client.registered','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396343,204,'',2,'',1795526396345,1795526396336,1795526396345),
('01a20db6-89b7-78d2-b416-df58607108c7','01a20db6-89b7-7888-8a53-4c5286b110b4','','client.activated','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396365,204,'',1,'',1795526396366,1795526396342,1795526396366),
('01a20db6-89b7-78d6-bf6c-91125e96b4da','01a20db6-89b7-7888-8a53-4c5286b110b4','','client.activated','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396342,1795526500369),
('01a20db6-89b7-78d7-8575-be10e7c30f7f','01a20db6-89b7-7888-8a53-4c5286b110b4','','client.activated','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396365,204,'',1,'',1795526396366,1795526396342,1795526396366),
('01a20db6-89b7-78d8-b877-91b8ceb41ce6','01a20db6-89b7-7888-8a53-4c5286b110b4','','client.activated','R2na0HoRdWZPps-5xzymqjbl6ALbt5KHZOfQwvey4Lw',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396365,204,'',1,'',1795526396366,1795526396342,1795526396366),
('01a20db6-89c4-7eac-b5e2-168a2794c0c6','01a20db6-89c4-7e68-b7dd-7cdf589b64ac','','client.registered','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',0,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396368,204,'',1,'',1795526396369,1795526396356,1795526396369),
('01a20db6-89c4-7eae-87da-1b089aefa857','01a20db6-89c4-7e68-b7dd-7cdf589b64ac','','client.registered','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',0,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396356,1795526500369),
('01a20db6-89c4-7eaf-a80d-7a3455b58506','01a20db6-89c4-7e68-b7dd-7cdf589b64ac','','client.registered','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',0,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396369,204,'',1,'',1795526396370,1795526396356,1795526396370),
('01a20db6-89c4-7eb2-ba08-245e0826d724','01a20db6-89c4-7e68-b7dd-7cdf589b64ac','','client.registered','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',0,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396369,204,'',1,'',1795526396370,1795526396356,1795526396370),
('01a20db6-89ff-7d40-ba2c-c0bf1fdef4b6','01a20db6-89ff-7cee-9205-2b3e8b7ad1b2','','client.registered','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',0,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396435,204,'',3,'',1795526396438,1795526396413,1795526396438),
('01a20db6-89ff-7d42-b8d6-87126445a0fb','01a20db6-89ff-7cee-9205-2b3e8b7ad1b2','','client.registered','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',0,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396413,1795526500369),
('01a20db6-89ff-7d43-953d-591528002ccf','01a20db6-89ff-7cee-9205-2b3e8b7ad1b2','','client.registered','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',0,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396435,204,'',3,'',1795526396438,1795526396413,1795526396438),
('01a20db6-89ff-7d44-b429-5142b264def5','01a20db6-89ff-7cee-9205-2b3e8b7ad1b2','','client.registered','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',0,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396427,204,'',7,'',1795526396434,1795526396413,1795526396434);
INSERT INTO delivery (id,event_id,variant,event_type,client_id,sequence,endpoint_id,endpoint,url,target,status,cycle,attempt,crashes,last_attempt_ms,last_status_code,last_error,last_duration_ms,response_excerpt,delivered_ms,created_ms,updated_ms) VALUES
('01a20db6-8a25-7e7e-a010-1c6206ad92d7','01a20db6-8a25-7deb-9b1d-c1cbe0a4d019','','client.activated','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396463,204,'',2,'',1795526396465,1795526396453,1795526396465),
('01a20db6-8a25-7e80-ad4f-4d986917449a','01a20db6-8a25-7deb-9b1d-c1cbe0a4d019','','client.activated','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396453,1795526500369),
('01a20db6-8a25-7e83-9bdd-0fa1179704e6','01a20db6-8a25-7deb-9b1d-c1cbe0a4d019','','client.activated','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396463,204,'',1,'',1795526396464,1795526396453,1795526396464),
('01a20db6-8a25-7e84-95e7-68d999fa59f0','01a20db6-8a25-7deb-9b1d-c1cbe0a4d019','','client.activated','OLmjpYIvCbe59i9P3slP62m3M6EnRewQHjIdkBKIhAE',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396463,204,'',2,'',1795526396465,1795526396453,1795526396465),
('01a20db6-8a6a-77db-ac2a-d01df442179e','01a20db6-8a6a-778f-b6fe-e1f0e40518f6','','client.registered','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',0,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396535,204,'',3,'',1795526396538,1795526396521,1795526396538),
('01a20db6-8a6a-77dd-8de1-51223a500521','01a20db6-8a6a-778f-b6fe-e1f0e40518f6','','client.registered','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',0,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396521,1795526500369),
('01a20db6-8a6a-77de-b0d1-cbcc65d8217a','01a20db6-8a6a-778f-b6fe-e1f0e40518f6','','client.registered','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',0,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396537,204,'',1,'',1795526396538,1795526396521,1795526396538),
('01a20db6-8a6a-77df-a464-e81fcb7f4069','01a20db6-8a6a-778f-b6fe-e1f0e40518f6','','client.registered','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',0,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396537,204,'',1,'',1795526396538,1795526396521,1795526396538),
('01a20db6-8a8a-7d8e-a0ca-193f63da625e','01a20db6-8a8a-7d4d-89e6-f89e44f7b991','','client.failed','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396562,204,'',1,'',1795526396563,1795526396553,1795526396563),
('01a20db6-8a8a-7d90-89e5-b41cd33fd6ce','01a20db6-8a8a-7d4d-89e6-f89e44f7b991','','client.failed','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396553,1795526500369),
('01a20db6-8a8a-7d91-8ccf-9113ec3ed11c','01a20db6-8a8a-7d4d-89e6-f89e44f7b991','','client.failed','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396562,204,'',1,'',1795526396563,1795526396553,1795526396563),
('01a20db6-8a8a-7d92-acd3-a5c8f5f40b61','01a20db6-8a8a-7d4d-89e6-f89e44f7b991','','client.failed','CUSQ7Slj9tRQoo_Wef92kR1WFe9cWYU4t4b0inuazfA',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396562,204,'',0,'',1795526396562,1795526396553,1795526396562),
('01a20db6-8a9f-710a-b211-738fb62936ad','01a20db6-8a9f-7050-a441-863c9c439ccd','','client.failed','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396589,204,'',0,'',1795526396589,1795526396573,1795526396589),
('01a20db6-8a9f-710d-bae1-6cc807ad295f','01a20db6-8a9f-7050-a441-863c9c439ccd','','client.failed','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396573,1795526500369),
('01a20db6-8a9f-710e-b3a1-e90355d0d153','01a20db6-8a9f-7050-a441-863c9c439ccd','','client.failed','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396585,204,'',3,'',1795526396588,1795526396573,1795526396588),
('01a20db6-8a9f-710f-bd4c-81db1e25e234','01a20db6-8a9f-7050-a441-863c9c439ccd','','client.failed','h0sdheXvJv5xfSq4ejGiX0Sd0TOgVBPpiExhZ7VDjNI',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396586,204,'',3,'',1795526396589,1795526396573,1795526396589),
('01a20db6-8aa3-74a8-bd63-e2e86547e5bf','01a20db6-8aa3-7467-9911-8157a98a63a5','','client.registered','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',0,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396587,204,'',2,'',1795526396589,1795526396578,1795526396589),
('01a20db6-8aa3-74ab-a673-c2941d328ec9','01a20db6-8aa3-7467-9911-8157a98a63a5','','client.registered','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',0,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396578,1795526500369),
('01a20db6-8aa3-74ac-b1d0-c3d73a96412a','01a20db6-8aa3-7467-9911-8157a98a63a5','','client.registered','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',0,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396587,204,'',2,'',1795526396589,1795526396578,1795526396589),
('01a20db6-8aa3-74ae-8c70-a2222abec860','01a20db6-8aa3-7467-9911-8157a98a63a5','','client.registered','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',0,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396587,204,'',2,'',1795526396589,1795526396578,1795526396589),
('01a20db6-8adc-76aa-b0b4-1ac1d41a044d','01a20db6-8adc-7657-be46-79114e1d8499','','client.registered','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396648,204,'',1,'',1795526396649,1795526396634,1795526396649),
('01a20db6-8adc-76ac-9467-d48ebfa93e95','01a20db6-8adc-7657-be46-79114e1d8499','','client.registered','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396634,1795526500369),
('01a20db6-8adc-76b6-81f7-27d940c55dfa','01a20db6-8adc-7657-be46-79114e1d8499','','client.registered','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396648,204,'',1,'',1795526396649,1795526396634,1795526396649),
('01a20db6-8adc-76b8-a7d2-80e3f0711dfb','01a20db6-8adc-7657-be46-79114e1d8499','','client.registered','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396647,204,'',2,'',1795526396649,1795526396634,1795526396649),
('01a20db6-8ae8-7bde-9291-3cde02f24908','01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f','','client.activated','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396670,204,'',5,'',1795526396675,1795526396647,1795526396675),
('01a20db6-8ae8-7be0-91d3-05973af5c2ce','01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f','','client.activated','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396647,1795526500369),
('01a20db6-8ae8-7be2-a2e2-b29074a994a2','01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f','','client.activated','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396673,204,'',2,'',1795526396675,1795526396647,1795526396675),
('01a20db6-8ae8-7be5-abdb-664db14a05b0','01a20db6-8ae8-7b8f-a2f4-ba7a6310d43f','','client.activated','uvScNBpKoOJyvOQDEdSHUt-9uNG97JvzI1ith4uH0is',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396673,204,'',2,'',1795526396675,1795526396647,1795526396675),
('01a20db6-8af9-782d-b40f-1a87cab4c3a3','01a20db6-8af9-77c9-95a7-55dc9d68117c','','client.registered','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396691,204,'',2,'',1795526396693,1795526396664,1795526396693),
('01a20db6-8af9-7830-b12b-d86f2060cf07','01a20db6-8af9-77c9-95a7-55dc9d68117c','','client.registered','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396664,1795526500369),
('01a20db6-8af9-7833-a046-258c6e072a07','01a20db6-8af9-77c9-95a7-55dc9d68117c','','client.registered','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396693,204,'',1,'',1795526396694,1795526396664,1795526396694),
('01a20db6-8af9-7840-a9ac-6f9dca8e3bc2','01a20db6-8af9-77c9-95a7-55dc9d68117c','','client.registered','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396692,204,'',2,'',1795526396694,1795526396664,1795526396694),
('01a20db6-8b07-7b06-8742-5f6df775bd44','01a20db6-8b07-766d-a34c-790315620291','','client.activated','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396693,204,'',1,'',1795526396694,1795526396678,1795526396694),
('01a20db6-8b07-7b0a-8c50-e9594e5d7f3c','01a20db6-8b07-766d-a34c-790315620291','','client.activated','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396678,1795526500369),
('01a20db6-8b07-7b0b-8a57-6a376087ead9','01a20db6-8b07-766d-a34c-790315620291','','client.activated','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396693,204,'',1,'',1795526396694,1795526396678,1795526396694),
('01a20db6-8b07-7b0e-80c9-261d46831f93','01a20db6-8b07-766d-a34c-790315620291','','client.activated','ydPqe0pwFKlh1Y6IoZdMPo5TgXkGk4YDeSj56qnsYC4',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396693,204,'',1,'',1795526396694,1795526396678,1795526396694),
('01a20db6-8b0d-7e2d-95cc-3a211088130f','01a20db6-8b0d-7dde-ab32-a6f73956da4b','','client.registered','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396700,204,'',1,'',1795526396701,1795526396685,1795526396701),
('01a20db6-8b0d-7e31-a832-319ac84ea665','01a20db6-8b0d-7dde-ab32-a6f73956da4b','','client.registered','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396685,1795526500369),
('01a20db6-8b0d-7e32-9849-f2129c154df8','01a20db6-8b0d-7dde-ab32-a6f73956da4b','','client.registered','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396700,204,'',1,'',1795526396701,1795526396685,1795526396701),
('01a20db6-8b0d-7e33-b236-7dcbbdc4c813','01a20db6-8b0d-7dde-ab32-a6f73956da4b','','client.registered','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396700,204,'',1,'',1795526396701,1795526396685,1795526396701),
('01a20db6-8b15-7a41-bf4d-21197cf74ade','01a20db6-8b15-79ea-9ee1-f45e05fd6a9c','','client.activated','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526396705,204,'',1,'',1795526396706,1795526396693,1795526396706),
('01a20db6-8b15-7a45-a3a4-bef1c15473e8','01a20db6-8b15-79ea-9ee1-f45e05fd6a9c','','client.activated','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526396693,1795526500369),
('01a20db6-8b15-7a46-a73c-2469b7441ad7','01a20db6-8b15-79ea-9ee1-f45e05fd6a9c','','client.activated','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526396706,204,'',0,'',1795526396706,1795526396693,1795526396706),
('01a20db6-8b15-7a48-a2e7-e6343bf74fe1','01a20db6-8b15-79ea-9ee1-f45e05fd6a9c','','client.activated','bCdCGpDMln7L41y2T9cwhiWk3gaXvUurZF5TIVwtMVs',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526396706,204,'',0,'',1795526396706,1795526396693,1795526396706),
('01a20db7-d106-756d-b88f-d5d0e63e9103','01a20db7-d106-751a-a31f-e8dd7cd1897d','','client.registered','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526480154,204,'',2,'',1795526480156,1795526480133,1795526480156),
('01a20db7-d106-756f-a08b-0e83c33c18a0','01a20db7-d106-751a-a31f-e8dd7cd1897d','','client.registered','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',1,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526480133,1795526500369),
('01a20db7-d106-7570-abef-fafd57923305','01a20db7-d106-751a-a31f-e8dd7cd1897d','','client.registered','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526480154,204,'',2,'',1795526480156,1795526480133,1795526480156),
('01a20db7-d106-7572-b770-7af6e36ff393','01a20db7-d106-751a-a31f-e8dd7cd1897d','','client.registered','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526480153,204,'',3,'',1795526480156,1795526480133,1795526480156),
('01a20db7-d10f-7da1-aab2-df710a1b0aaa','01a20db7-d10f-7d52-9d9a-4180241adb56','','client.activated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526480185,204,'',9,'',1795526480194,1795526480143,1795526480194),
('01a20db7-d10f-7da3-b80d-95625733fa8b','01a20db7-d10f-7d52-9d9a-4180241adb56','','client.activated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',2,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526480143,1795526500369),
('01a20db7-d10f-7da4-b6db-f4d7032f3110','01a20db7-d10f-7d52-9d9a-4180241adb56','','client.activated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526480192,204,'',2,'',1795526480194,1795526480143,1795526480194),
('01a20db7-d10f-7da5-938f-d8c0aaed6d07','01a20db7-d10f-7d52-9d9a-4180241adb56','','client.activated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526480185,204,'',8,'',1795526480193,1795526480143,1795526480193),
('01a20db7-d141-7c86-ac05-4b06c64dc82c','01a20db7-d141-7c26-bcc8-65244ed74e77','','client.deactivated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',3,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526480203,204,'',1,'',1795526480204,1795526480193,1795526480204),
('01a20db7-d141-7c88-adb9-276845df0a94','01a20db7-d141-7c26-bcc8-65244ed74e77','','client.deactivated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',3,'01a20db6-86a5-75dc-b5ba-b797f87a44c8','busy','http://127.0.0.1:18476/busy','01a20db6-86a5-75dc-b5ba-b797f87a44c8','cancelled',1,0,0,0,0,'',0,'',0,1795526480193,1795526500369),
('01a20db7-d141-7c8a-9e9d-6a7493e14fb0','01a20db7-d141-7c26-bcc8-65244ed74e77','','client.deactivated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',3,'01a20db6-86d2-7461-91bd-7d8fca75942c','slow','http://127.0.0.1:18476/slow','01a20db6-86d2-7461-91bd-7d8fca75942c','sending',1,0,1,0,0,'',0,'',0,1795526480193,1795526480193),
('01a20db7-d141-7c8b-825f-21804ae574b2','01a20db7-d141-7c26-bcc8-65244ed74e77','','client.deactivated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',3,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526480204,204,'',1,'',1795526480205,1795526480193,1795526480205),
('01a20db7-d141-7c8d-8be2-9315dc237771','01a20db7-d141-7c26-bcc8-65244ed74e77','','client.deactivated','GwPYuSom6Kvb6lseB2qeVFRnwfdKDpYIkfAZlWwP2yE',3,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526480204,204,'',1,'',1795526480205,1795526480193,1795526480205),
('01a20db8-201e-7548-8378-ec4f8763f410','01a20db8-201e-74ed-9052-5a6df855ebbc','','client.registered','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8',1,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526500408,204,'',4,'',1795526500412,1795526500381,1795526500412),
('01a20db8-201e-754b-ab01-63712dd39df8','01a20db8-201e-74ed-9052-5a6df855ebbc','','client.registered','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8',1,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526500409,204,'',4,'',1795526500413,1795526500381,1795526500413),
('01a20db8-201e-754c-a869-cf96234abc50','01a20db8-201e-74ed-9052-5a6df855ebbc','','client.registered','J7jAWyFcS9FpP9zqhK0qkuw8So37G6vmNAcCJso6Sw8',1,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526500412,204,'',1,'',1795526500413,1795526500381,1795526500413),
('01a20db8-2188-7363-ab17-2d1a34539153','01a20db8-2188-7313-bb04-f88d571c1a65','','client.registered','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0',0,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526500788,204,'',2,'',1795526500790,1795526500743,1795526500790),
('01a20db8-2188-7365-9e0a-568029f2c947','01a20db8-2188-7313-bb04-f88d571c1a65','','client.registered','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0',0,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526500790,204,'',1,'',1795526500791,1795526500743,1795526500791),
('01a20db8-2188-738c-a20f-7d7bf8adc064','01a20db8-2188-7313-bb04-f88d571c1a65','','client.registered','wRDhHBsS6ide85EWrcZC_ApN9buxB4_F1CWYrTBBWc0',0,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526500787,204,'',4,'',1795526500791,1795526500743,1795526500791),
('01a20db8-21ae-76db-aeea-16d74ca3e40d','01a20db8-21ae-7678-bd62-a7d59bdf82b1','','client.failed','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',2,'01a20db6-868f-75e5-914f-082cc30a42b8','ok','http://127.0.0.1:18476/ok','01a20db6-868f-75e5-914f-082cc30a42b8','delivered',1,1,0,1795526500816,204,'',1,'',1795526500817,1795526500781,1795526500817),
('01a20db8-21ae-76dd-9ba7-656d74b4df49','01a20db8-21ae-7678-bd62-a7d59bdf82b1','','client.failed','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',2,'01a20db6-86dc-7903-b03b-fe37cb35144f','v1a','http://127.0.0.1:18476/ok','01a20db6-86dc-7903-b03b-fe37cb35144f','delivered',1,1,0,1795526500817,204,'',1,'',1795526500818,1795526500781,1795526500818),
('01a20db8-21ae-76df-b5f9-1eae142a41b7','01a20db8-21ae-7678-bd62-a7d59bdf82b1','','client.failed','xDDTxixn9g_wVMWhqWZ-D1jMJvwUAkyfuD0oQHz3Bbs',2,'01a20db6-86e7-7968-a5a2-45a1af4d1688','both','http://127.0.0.1:18476/ok','01a20db6-86e7-7968-a5a2-45a1af4d1688','delivered',1,1,0,1795526500817,204,'',1,'',1795526500818,1795526500781,1795526500818);
CREATE TABLE outbox (
  id              text PRIMARY KEY, -- of the delivery
  lane            text NOT NULL, -- the endpoint: its deliveries share a limit of requests in flight
  next_attempt_ms integer NOT NULL,
  cycle           integer NOT NULL, -- of the delivery
  lease_token     integer NOT NULL, -- of this cycle
  lease_owner     text NOT NULL, -- the process that sends it; empty for none
  leased_ms       integer NOT NULL -- 0 while there is no lease
);
INSERT INTO outbox (id,lane,next_attempt_ms,cycle,lease_token,lease_owner,leased_ms) VALUES
('01a20db6-8773-7371-ada1-2eb0449895d3','01a20db6-86d2-7461-91bd-7d8fca75942c',1795526802665,1,2,'',0),
('01a20db6-8794-74d1-a0b4-c462ba428c05','01a20db6-86d2-7461-91bd-7d8fca75942c',1795526792669,1,2,'',0),
('01a20db7-d141-7c8a-9e9d-6a7493e14fb0','01a20db6-86d2-7461-91bd-7d8fca75942c',1795526480193,1,2,'01a20db7-d30c-7c21-9774-78e51797efd7',1795526500340);
CREATE TABLE delivery_attempt (
  delivery_id text NOT NULL,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  n           integer,
  started_ms  integer NOT NULL,
  finished_ms integer NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n)
);
INSERT INTO delivery_attempt (delivery_id,cycle,seq,n,started_ms,finished_ms,outcome,status_code,error,excerpt) VALUES
('01a20db6-8746-7dc7-bdf6-39e436a39a1b',1,1,1,1795526395733,1795526395734,'failed',503,'status 503',''),
('01a20db6-8746-7dc9-98f2-17a85aa78f53',1,1,1,1795526395733,1795526395734,'delivered',204,'',''),
('01a20db6-8746-7dc3-80c4-28f3ea816e8c',1,1,1,1795526395733,1795526395734,'delivered',204,'',''),
('01a20db6-8746-7dc8-9236-4760f38bf579',1,1,1,1795526395734,1795526395736,'delivered',204,'',''),
('01a20db6-8754-7e82-9205-c41a7726e523',1,1,1,1795526395747,1795526395748,'failed',410,'status 410',''),
('01a20db6-8759-7abc-befa-e192271f9b23',1,1,1,1795526395747,1795526395749,'failed',503,'status 503',''),
('01a20db6-8759-7aba-a4e2-a3c0c0f413b7',1,1,1,1795526395747,1795526395749,'delivered',204,'',''),
('01a20db6-8754-7e8d-9f16-2ce61f4706f8',1,1,1,1795526395747,1795526395749,'delivered',204,'',''),
('01a20db6-8759-7abe-824f-941a9d51327d',1,1,1,1795526395748,1795526395749,'delivered',204,'',''),
('01a20db6-8759-7abd-b282-c2b73a4d47cf',1,1,1,1795526395747,1795526395749,'delivered',204,'',''),
('01a20db6-8754-7e81-9b18-057934f9e6dc',1,1,1,1795526395749,1795526395749,'failed',503,'status 503',''),
('01a20db6-8754-7e7d-ae40-f5ccfb5fe194',1,1,1,1795526395749,1795526395749,'delivered',204,'',''),
('01a20db6-8754-7e83-9269-cabf2dba199f',1,1,1,1795526395749,1795526395749,'delivered',204,'',''),
('01a20db6-8761-7da2-afab-bda2dd5f680f',1,1,1,1795526395761,1795526395762,'delivered',204,'',''),
('01a20db6-8761-7da7-b52b-a8cf0955ca7a',1,1,1,1795526395762,1795526395763,'delivered',204,'',''),
('01a20db6-8761-7da4-a946-f6943ed93c8e',1,1,1,1795526395762,1795526395763,'failed',503,'status 503',''),
('01a20db6-8761-7da6-bcde-1ede00dcd0bf',1,1,1,1795526395762,1795526395763,'delivered',204,'',''),
('01a20db6-8773-736c-8ce3-055eebe223a1',1,1,1,1795526395778,1795526395781,'delivered',204,'',''),
('01a20db6-8773-736f-bf6b-155db891207b',1,1,1,1795526395780,1795526395781,'failed',503,'status 503',''),
('01a20db6-8773-7374-aa3f-e52e4e6aa303',1,1,1,1795526395781,1795526395781,'delivered',204,'',''),
('01a20db6-8773-7372-9e41-ae9d3de82a2b',1,1,1,1795526395781,1795526395781,'delivered',204,'',''),
('01a20db6-877b-7b3b-a4b2-3d46e9898a5e',1,1,1,1795526395784,1795526395786,'delivered',204,'',''),
('01a20db6-877b-7b3d-8e08-0183cfdbef43',1,1,1,1795526395784,1795526395786,'failed',503,'status 503',''),
('01a20db6-877b-7b40-894a-3eb2c2d2d84d',1,1,1,1795526395786,1795526395786,'delivered',204,'',''),
('01a20db6-877b-7b3e-99ba-0a8ca26ced1f',1,1,1,1795526395786,1795526395786,'delivered',204,'',''),
('01a20db6-8787-77f8-90ae-266fd26c0258',1,1,1,1795526395799,1795526395801,'delivered',204,'',''),
('01a20db6-8787-77fc-8a4a-d8998d6ee703',1,1,1,1795526395801,1795526395802,'delivered',204,'',''),
('01a20db6-8787-77fa-b3f2-dd9bea0fe918',1,1,1,1795526395801,1795526395802,'failed',503,'status 503',''),
('01a20db6-8787-77fd-81a5-1f447deeb520',1,1,1,1795526395801,1795526395802,'delivered',204,'',''),
('01a20db6-8794-74cf-8b29-28632d929ba7',1,1,1,1795526395810,1795526395814,'failed',503,'status 503',''),
('01a20db6-8794-74cd-a6ca-339e9362ece4',1,1,1,1795526395814,1795526395814,'delivered',204,'',''),
('01a20db6-8794-74d3-85b0-93c3fca8a7eb',1,1,1,1795526395813,1795526395814,'delivered',204,'',''),
('01a20db6-8794-74d2-9cf3-d422e5340788',1,1,1,1795526395813,1795526395814,'delivered',204,'',''),
('01a20db6-87a7-7ab7-8199-a0026403cb9f',1,1,1,1795526395831,1795526395832,'delivered',204,'',''),
('01a20db6-87a7-7ab4-be9b-9870759f2843',1,1,1,1795526395831,1795526395832,'delivered',204,'',''),
('01a20db6-87a7-7ac2-a766-db7b368873b7',1,1,1,1795526395832,1795526395832,'delivered',204,'',''),
('01a20db6-87ae-7ceb-be5e-848e9ae17aef',1,1,1,1795526395835,1795526395836,'delivered',204,'',''),
('01a20db6-87ae-7cef-9b2b-33a6ddcd478c',1,1,1,1795526395835,1795526395836,'delivered',204,'',''),
('01a20db6-87ae-7d05-b5cd-1cf835d24c35',1,1,1,1795526395835,1795526395836,'delivered',204,'',''),
('01a20db6-87bc-79e7-a8f9-bee93e407b40',1,1,1,1795526395850,1795526395851,'delivered',204,'',''),
('01a20db6-87bc-79ec-b029-a3c8a84786f4',1,1,1,1795526395850,1795526395851,'delivered',204,'',''),
('01a20db6-87bc-79eb-8be9-1b315f39a893',1,1,1,1795526395850,1795526395851,'delivered',204,'',''),
('01a20db6-87c2-758c-ba40-05b503ce8c2a',1,1,1,1795526395857,1795526395858,'delivered',204,'',''),
('01a20db6-87c2-7589-b3af-eb547cdbc3d7',1,1,1,1795526395858,1795526395858,'delivered',204,'',''),
('01a20db6-87c2-758d-b979-a3ce4fee5f17',1,1,1,1795526395858,1795526395859,'delivered',204,'',''),
('01a20db6-87cd-7cea-965e-df54dbe551df',1,1,1,1795526395865,1795526395866,'delivered',204,'',''),
('01a20db6-87cd-7cee-9dcd-207288b580aa',1,1,1,1795526395866,1795526395867,'delivered',204,'',''),
('01a20db6-87cd-7cef-8e26-5ee0e6a92d89',1,1,1,1795526395866,1795526395867,'delivered',204,'',''),
('01a20db6-87d4-7892-9065-f649a2477a54',1,1,1,1795526395882,1795526395889,'delivered',204,'',''),
('01a20db6-87d4-7891-a8c6-da477da48cb7',1,1,1,1795526395889,1795526395890,'delivered',204,'',''),
('01a20db6-87d4-788d-9583-28a79cc43d6e',1,1,1,1795526395888,1795526395892,'delivered',204,'',''),
('01a20db6-87de-7592-925d-93e60933f7bb',1,1,1,1795526395902,1795526395903,'delivered',204,'',''),
('01a20db6-87de-758d-a8fb-602a1af68274',1,1,1,1795526395901,1795526395903,'delivered',204,'',''),
('01a20db6-87de-7591-b408-c84f2e638a0f',1,1,1,1795526395902,1795526395903,'delivered',204,'',''),
('01a20db6-87ed-7803-a0d3-b62bc6dcc521',1,1,1,1795526395901,1795526395902,'delivered',204,'',''),
('01a20db6-87ed-7807-b6b6-39e6e8f65f8e',1,1,1,1795526395902,1795526395902,'delivered',204,'',''),
('01a20db6-87ed-7806-95ee-03b7927d17e4',1,1,1,1795526395902,1795526395902,'delivered',204,'',''),
('01a20db6-8925-71c8-9346-b82e36304c13',1,1,1,1795526396211,1795526396211,'delivered',204,'',''),
('01a20db6-8925-71cb-803b-d385f77c8726',1,1,1,1795526396211,1795526396211,'delivered',204,'',''),
('01a20db6-8925-71ce-8d5d-ec711926b402',1,1,1,1795526396210,1795526396211,'delivered',204,'',''),
('01a20db6-8930-7015-ad92-19beae11c3fd',1,1,1,1795526396223,1795526396224,'delivered',204,'',''),
('01a20db6-8930-7016-99a4-ab0aff592c8e',1,1,1,1795526396223,1795526396224,'delivered',204,'',''),
('01a20db6-8930-7011-910b-5f8200f091c5',1,1,1,1795526396223,1795526396224,'delivered',204,'',''),
('01a20db6-8951-79a7-9a83-6f042a2023ca',1,1,1,1795526396260,1795526396262,'delivered',204,'',''),
('01a20db6-8951-79ac-8ef8-e9da2ba930d6',1,1,1,1795526396261,1795526396262,'delivered',204,'',''),
('01a20db6-8951-79aa-91a0-9a1efaca7aa1',1,1,1,1795526396262,1795526396262,'delivered',204,'',''),
('01a20db6-8965-7af2-9997-96f129ddea85',1,1,1,1795526396289,1795526396290,'delivered',204,'',''),
('01a20db6-8965-7af6-8efd-5bb53835dd2a',1,1,1,1795526396290,1795526396290,'delivered',204,'',''),
('01a20db6-8965-7af4-8aba-7a789ec6fc37',1,1,1,1795526396289,1795526396290,'delivered',204,'',''),
('01a20db6-89b1-785b-bd22-5974f5cf8f12',1,1,1,1795526396343,1795526396345,'delivered',204,'',''),
('01a20db6-89b1-7856-849b-11b3938aa393',1,1,1,1795526396344,1795526396345,'delivered',204,'',''),
('01a20db6-89b1-785a-8b06-adff9c858e60',1,1,1,1795526396344,1795526396345,'delivered',204,'',''),
('01a20db6-89b7-78d7-8575-be10e7c30f7f',1,1,1,1795526396365,1795526396366,'delivered',204,'',''),
('01a20db6-89b7-78d2-b416-df58607108c7',1,1,1,1795526396365,1795526396366,'delivered',204,'',''),
('01a20db6-89b7-78d8-b877-91b8ceb41ce6',1,1,1,1795526396365,1795526396366,'delivered',204,'',''),
('01a20db6-89c4-7eac-b5e2-168a2794c0c6',1,1,1,1795526396368,1795526396369,'delivered',204,'',''),
('01a20db6-89c4-7eb2-ba08-245e0826d724',1,1,1,1795526396369,1795526396370,'delivered',204,'',''),
('01a20db6-89c4-7eaf-a80d-7a3455b58506',1,1,1,1795526396369,1795526396370,'delivered',204,'',''),
('01a20db6-89ff-7d44-b429-5142b264def5',1,1,1,1795526396427,1795526396434,'delivered',204,'',''),
('01a20db6-89ff-7d43-953d-591528002ccf',1,1,1,1795526396435,1795526396438,'delivered',204,'',''),
('01a20db6-89ff-7d40-ba2c-c0bf1fdef4b6',1,1,1,1795526396435,1795526396438,'delivered',204,'',''),
('01a20db6-8a25-7e83-9bdd-0fa1179704e6',1,1,1,1795526396463,1795526396464,'delivered',204,'',''),
('01a20db6-8a25-7e7e-a010-1c6206ad92d7',1,1,1,1795526396463,1795526396465,'delivered',204,'',''),
('01a20db6-8a25-7e84-95e7-68d999fa59f0',1,1,1,1795526396463,1795526396465,'delivered',204,'',''),
('01a20db6-8a6a-77df-a464-e81fcb7f4069',1,1,1,1795526396537,1795526396538,'delivered',204,'',''),
('01a20db6-8a6a-77de-b0d1-cbcc65d8217a',1,1,1,1795526396537,1795526396538,'delivered',204,'',''),
('01a20db6-8a6a-77db-ac2a-d01df442179e',1,1,1,1795526396535,1795526396538,'delivered',204,'',''),
('01a20db6-8a8a-7d92-acd3-a5c8f5f40b61',1,1,1,1795526396562,1795526396562,'delivered',204,'',''),
('01a20db6-8a8a-7d91-8ccf-9113ec3ed11c',1,1,1,1795526396562,1795526396563,'delivered',204,'',''),
('01a20db6-8a8a-7d8e-a0ca-193f63da625e',1,1,1,1795526396562,1795526396563,'delivered',204,'',''),
('01a20db6-8a9f-710e-b3a1-e90355d0d153',1,1,1,1795526396585,1795526396588,'delivered',204,'',''),
('01a20db6-8aa3-74ae-8c70-a2222abec860',1,1,1,1795526396587,1795526396589,'delivered',204,'',''),
('01a20db6-8aa3-74ac-b1d0-c3d73a96412a',1,1,1,1795526396587,1795526396589,'delivered',204,'',''),
('01a20db6-8aa3-74a8-bd63-e2e86547e5bf',1,1,1,1795526396587,1795526396589,'delivered',204,'',''),
('01a20db6-8a9f-710f-bd4c-81db1e25e234',1,1,1,1795526396586,1795526396589,'delivered',204,'',''),
('01a20db6-8a9f-710a-b211-738fb62936ad',1,1,1,1795526396589,1795526396589,'delivered',204,'',''),
('01a20db6-8adc-76b6-81f7-27d940c55dfa',1,1,1,1795526396648,1795526396649,'delivered',204,'',''),
('01a20db6-8adc-76b8-a7d2-80e3f0711dfb',1,1,1,1795526396647,1795526396649,'delivered',204,'',''),
('01a20db6-8adc-76aa-b0b4-1ac1d41a044d',1,1,1,1795526396648,1795526396649,'delivered',204,'',''),
('01a20db6-8ae8-7bde-9291-3cde02f24908',1,1,1,1795526396670,1795526396675,'delivered',204,'','');
INSERT INTO delivery_attempt (delivery_id,cycle,seq,n,started_ms,finished_ms,outcome,status_code,error,excerpt) VALUES
('01a20db6-8ae8-7be2-a2e2-b29074a994a2',1,1,1,1795526396673,1795526396675,'delivered',204,'',''),
('01a20db6-8ae8-7be5-abdb-664db14a05b0',1,1,1,1795526396673,1795526396675,'delivered',204,'',''),
('01a20db6-8af9-782d-b40f-1a87cab4c3a3',1,1,1,1795526396691,1795526396693,'delivered',204,'',''),
('01a20db6-8af9-7840-a9ac-6f9dca8e3bc2',1,1,1,1795526396692,1795526396694,'delivered',204,'',''),
('01a20db6-8af9-7833-a046-258c6e072a07',1,1,1,1795526396693,1795526396694,'delivered',204,'',''),
('01a20db6-8b07-7b0e-80c9-261d46831f93',1,1,1,1795526396693,1795526396694,'delivered',204,'',''),
('01a20db6-8b07-7b06-8742-5f6df775bd44',1,1,1,1795526396693,1795526396694,'delivered',204,'',''),
('01a20db6-8b07-7b0b-8a57-6a376087ead9',1,1,1,1795526396693,1795526396694,'delivered',204,'',''),
('01a20db6-8b0d-7e33-b236-7dcbbdc4c813',1,1,1,1795526396700,1795526396701,'delivered',204,'',''),
('01a20db6-8b0d-7e32-9849-f2129c154df8',1,1,1,1795526396700,1795526396701,'delivered',204,'',''),
('01a20db6-8b0d-7e2d-95cc-3a211088130f',1,1,1,1795526396700,1795526396701,'delivered',204,'',''),
('01a20db6-8b15-7a46-a73c-2469b7441ad7',1,1,1,1795526396706,1795526396706,'delivered',204,'',''),
('01a20db6-8b15-7a41-bf4d-21197cf74ade',1,1,1,1795526396705,1795526396706,'delivered',204,'',''),
('01a20db6-8b15-7a48-a2e7-e6343bf74fe1',1,1,1,1795526396706,1795526396706,'delivered',204,'',''),
('01a20db6-8773-7371-ada1-2eb0449895d3',1,1,1,1795526395785,1795526405786,'failed',0,'timeout',''),
('01a20db6-8794-74d1-a0b4-c462ba428c05',1,1,1,1795526395813,1795526405814,'failed',0,'timeout',''),
('01a20db6-87a7-7ab6-af10-4f128bbd9c3c',1,1,1,1795526425824,1795526425824,'failed',503,'status 503',''),
('01a20db6-8773-7371-ada1-2eb0449895d3',1,2,2,1795526467029,1795526477038,'failed',0,'timeout',''),
('01a20db6-8794-74d1-a0b4-c462ba428c05',1,2,2,1795526470123,1795526480124,'failed',0,'timeout',''),
('01a20db7-d106-756d-b88f-d5d0e63e9103',1,1,1,1795526480154,1795526480156,'delivered',204,'',''),
('01a20db7-d106-7572-b770-7af6e36ff393',1,1,1,1795526480153,1795526480156,'delivered',204,'',''),
('01a20db7-d106-7570-abef-fafd57923305',1,1,1,1795526480154,1795526480156,'delivered',204,'',''),
('01a20db7-d10f-7da5-938f-d8c0aaed6d07',1,1,1,1795526480185,1795526480193,'delivered',204,'',''),
('01a20db7-d10f-7da1-aab2-df710a1b0aaa',1,1,1,1795526480185,1795526480194,'delivered',204,'',''),
('01a20db7-d10f-7da4-b6db-f4d7032f3110',1,1,1,1795526480192,1795526480194,'delivered',204,'',''),
('01a20db7-d141-7c86-ac05-4b06c64dc82c',1,1,1,1795526480203,1795526480204,'delivered',204,'',''),
('01a20db7-d141-7c8b-825f-21804ae574b2',1,1,1,1795526480204,1795526480205,'delivered',204,'',''),
('01a20db7-d141-7c8d-8be2-9315dc237771',1,1,1,1795526480204,1795526480205,'delivered',204,'',''),
('01a20db6-87ae-7ced-b8f2-4e1f46bfddfc',1,1,1,1795526486306,1795526486307,'failed',503,'status 503',''),
('01a20db7-d141-7c8a-9e9d-6a7493e14fb0',1,1,NULL,1795526480199,1795526500340,'unknown',0,'the worker stopped before it saved a result',''),
('01a20db8-201e-7548-8378-ec4f8763f410',1,1,1,1795526500408,1795526500412,'delivered',204,'',''),
('01a20db8-201e-754b-ab01-63712dd39df8',1,1,1,1795526500409,1795526500413,'delivered',204,'',''),
('01a20db8-201e-754c-a869-cf96234abc50',1,1,1,1795526500412,1795526500413,'delivered',204,'',''),
('01a20db8-2188-7363-ab17-2d1a34539153',1,1,1,1795526500788,1795526500790,'delivered',204,'',''),
('01a20db8-2188-7365-9e0a-568029f2c947',1,1,1,1795526500790,1795526500791,'delivered',204,'',''),
('01a20db8-2188-738c-a20f-7d7bf8adc064',1,1,1,1795526500787,1795526500791,'delivered',204,'',''),
('01a20db8-21ae-76db-aeea-16d74ca3e40d',1,1,1,1795526500816,1795526500817,'delivered',204,'',''),
('01a20db8-21ae-76df-b5f9-1eae142a41b7',1,1,1,1795526500817,1795526500818,'delivered',204,'',''),
('01a20db8-21ae-76dd-9ba7-656d74b4df49',1,1,1,1795526500817,1795526500818,'delivered',204,'','');
CREATE TABLE service_key (
  name text PRIMARY KEY,
  key  text NOT NULL -- base64
);
INSERT INTO service_key (name,key) VALUES
('cursor','VVYFbApck+apQbk9kY1Zg7SStYW8Nw14rd82rblXopI=');
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  started_ms integer NOT NULL,
  seen_ms    integer NOT NULL
);
INSERT INTO process (id,host,version,started_ms,seen_ms) VALUES
('01a20db6-8653-7c73-adc0-993e7cbbcfb9','vm','dev',1795526395475,1795526479363),
('01a20db7-d30c-7c21-9774-78e51797efd7','vm','dev',1795526480652,1795526500661);
CREATE TABLE write_probe (
  id     text PRIMARY KEY,
  filler text NOT NULL
);
CREATE INDEX client_by_creation ON client (created_ms, id);
CREATE INDEX client_by_partner ON client (partner_id, created_ms, id);
CREATE INDEX client_doubtful ON client (id) WHERE doubtful;
CREATE INDEX client_key_of_client ON client_key (client_id);
CREATE INDEX registration_token_of_client ON registration_token (client_id);
CREATE INDEX approval_due ON approval (due_ms) WHERE state IN ('asking', 'waiting', 'withdrawing');
CREATE INDEX approval_request ON approval (request_id) WHERE request_id <> '';
CREATE INDEX idp_call_due ON idp_call (due_ms);
CREATE INDEX client_event_of_client ON client_event (client_id, seq);
CREATE INDEX client_event_refused ON client_event (client_id, reason, at_ms) WHERE kind = 'refused';
CREATE INDEX client_event_purged ON client_event (purged_to) WHERE kind = 'purged';
CREATE INDEX catalog_event_of_partner ON catalog_event (partner_id, seq);
CREATE INDEX catalog_event_of_policy ON catalog_event (policy_id, seq);
CREATE INDEX endpoint_created ON endpoint (created_ms, id);
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_client ON delivery (client_id, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;
CREATE INDEX outbox_due ON outbox (lane, next_attempt_ms, id);
CREATE TRIGGER client_event_no_update BEFORE UPDATE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is insert only'); END;
CREATE TRIGGER client_event_no_delete BEFORE DELETE ON client_event
WHEN OLD.kind = 'purged'
  OR OLD.seq > coalesce((SELECT max(t.purged_to) FROM client_event t WHERE t.kind = 'purged'), 0)
  OR OLD.kind <> 'refused' AND EXISTS (SELECT 1 FROM client c WHERE c.id = OLD.client_id)
BEGIN SELECT RAISE(ABORT, 'client_event is insert only, but for a purge'); END;
CREATE TRIGGER catalog_event_no_update BEFORE UPDATE ON catalog_event
BEGIN SELECT RAISE(ABORT, 'catalog_event is insert only'); END;
CREATE TRIGGER catalog_event_no_delete BEFORE DELETE ON catalog_event
BEGIN SELECT RAISE(ABORT, 'catalog_event is insert only'); END;
