CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version (id,version_id,is_applied,tstamp) VALUES
(1,0,1,'2026-11-24 13:34:25'),
(2,1,1,'2026-11-24 13:34:25');
CREATE TABLE partner (
  id       text PRIMARY KEY,
  name     text NOT NULL,
  type     text NOT NULL,
  status   text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  logo_uri text NOT NULL
);
INSERT INTO partner (id,name,type,status,logo_uri) VALUES
('demo-partner','Demo partner','Auth_Partner','ACTIVE',''),
('shop','shop','Auth_Partner','INACTIVE',''),
('bank','bank','Auth_Partner','ACTIVE','');
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
('shop','free','APPROVED'),
('shop','reviewed','APPROVED'),
('shop','old','APPROVED'),
('bank','free','APPROVED'),
('bank','reviewed','APPROVED'),
('bank','old','REVOKED');
CREATE TABLE client (
  id                      text NOT NULL,
  api                     text NOT NULL CHECK (api IN ('partner', 'provider')), -- that manages it
  name                    text NOT NULL,
  partner_id              text NOT NULL,
  policy_id               text NOT NULL,
  key_thumbprint          text NOT NULL,
  key_jwk                 text NOT NULL,
  key_id                  text NOT NULL,
  previous_key_thumbprint text NOT NULL, -- while the client changes to the new key
  previous_key_jwk        text NOT NULL,
  previous_key_id         text NOT NULL,
  user_claims             text NOT NULL,
  acrs                    text NOT NULL,
  logo_uri                text NOT NULL,
  redirect_uris           text NOT NULL,
  grant_types             text NOT NULL,
  auth_methods            text NOT NULL,
  extensions              text NOT NULL, -- fields that only some APIs have, as a JSON object
  status                  text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'PENDING', 'FAILED')),
  final                   boolean NOT NULL, -- INACTIVE until an admin enables it
  provider_client_id      text NOT NULL, -- the id that the identity provider assigned
  outcome_unknown         boolean NOT NULL, -- the client must be read from the identity provider first
  failure_reason          text NOT NULL,
  failure_provider_code   text NOT NULL,
  failure_message         text NOT NULL,
  created_by              text NOT NULL,
  created_ms              bigint NOT NULL,
  updated_ms              bigint NOT NULL,
  rev                     bigint NOT NULL,
  CONSTRAINT client_id UNIQUE (id)
);
INSERT INTO client (id,api,name,partner_id,policy_id,key_thumbprint,key_jwk,key_id,previous_key_thumbprint,previous_key_jwk,previous_key_id,user_claims,acrs,logo_uri,redirect_uris,grant_types,auth_methods,extensions,status,final,provider_client_id,outcome_unknown,failure_reason,failure_provider_code,failure_message,created_by,created_ms,updated_ms,rev) VALUES
('HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','partner','ok','bank','free','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','{"crv":"P-256","kid":"HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4","kty":"EC","x":"4jUG7nIQiYeuWfMj5P_xNDukFqC9EGcQ4ZvGmTOXSOE","y":"2NKM8nZaq6akq2XFDiONfO_9SkvUxar3vwn-CT307kM"}','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-ELVZTYXSD42IVLXWOWP7IMRHGP',0,'','','','vera',1795527265787,1795527265852,2),
('-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','partner','ok','bank','free','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','{"crv":"P-256","kid":"-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM","kty":"EC","x":"RE74Y6hiVsq6_C4KtmI2t51oIiUjOcFYUtnXqtAsvgo","y":"txURhiohVCTLgXIFtJUcHP4djm9XWo-Fesw4EOGp460"}','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-CQLMQSWHSZONDHRWR7XD22CWTI',0,'','','','vera',1795527265920,1795527266117,3),
('XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','partner','ok','bank','free','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','{"crv":"P-256","kid":"XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q","kty":"EC","x":"O8vruavw6IEtEIeMzb1KIputM2sAOrpgAeicZHeCPqE","y":"EbVbXATivvN9LY4qp9N6d9Ib37P7jyoyzmTA2T5nUWI"}','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-LII55GMROZCMWNZTQZEHGUVGU3',0,'','','','vera',1795527266156,1795527266284,3),
('NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','partner','ok','bank','free','DVWvPGAY3HS4dR3WDXvIMKOHud5fCSxwQiCt7eqWjuw','{"crv":"P-256","kid":"DVWvPGAY3HS4dR3WDXvIMKOHud5fCSxwQiCt7eqWjuw","kty":"EC","x":"scRhmfs1UI3Kuyk01cioh_a1pMEWVZf9DwHiipuek9c","y":"mEB93mav2qPDaCqdNlJr8tF92wZW0t3EDR-qTiFA-Lk"}','DVWvPGAY3HS4dR3WDXvIMKOHud5fCSxwQiCt7eqWjuw','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','{"crv":"P-256","kid":"NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA","kty":"EC","x":"-wKIQ_HdLQaLi39-9U4-ussH-z7fTU3E5gMVH-ZjIP4","y":"Da1FDUu3doSMO47JHabbtmQCb9rYsd1MVx2n0HGh27s"}','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT',0,'','','','vera',1795527266420,1795527266525,3),
('of-the-provider','provider','ok','bank','','mhHrMC-QNY7pOx7iZXBnFw03S3Ad6tOleRgRFC8nk-I','{"crv":"P-256","kid":"mhHrMC-QNY7pOx7iZXBnFw03S3Ad6tOleRgRFC8nk-I","kty":"EC","x":"oMVuRdcZ8dBQTvZdF5u3tSHme9wi8rLkBl_CKQXIA-Y","y":"nAYhbCCwQ6hxeXHybR0t3mrgfYWevrHJ375Y--aoMHM"}','mhHrMC-QNY7pOx7iZXBnFw03S3Ad6tOleRgRFC8nk-I','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-PPXLHF5XSOI7QCEHE6KAASKVYT',0,'','','','vera',1795527266705,1795527266736,2),
('a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','partner','down','bank','free','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','{"crv":"P-256","kid":"a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU","kty":"EC","x":"_C_IO2tGw25Pxy2pJvWLIm0QUL7Dc5uPfq2mpXDySCo","y":"XYu8DchLf_wx203etjpn-CbpUuAaTXZlrUVBSgnSHlU"}','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527266794,1795527266794,1),
('3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','partner','ok','bank','free','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','{"crv":"P-256","kid":"3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4","kty":"EC","x":"xctlFC8TpGl7KjrcT4J2GYeZcABijzBVWQTeeL-a754","y":"aCK7Iyi7vt_uOEtq_dI9K1qUfBSlqXnpPFPurcmuOnE"}','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-A7VEESWVI3PCKOO6QM3YYQUOE7',0,'','','','vera',1795527267135,1795527267209,2),
('gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','partner','ok','bank','free','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','{"crv":"P-256","kid":"gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ","kty":"EC","x":"DOZrclA3sTxLmJAhOrGKWjiL_924Tem42M_8Zojiwx0","y":"WZbcqweTAdqcKaZcc-lnT7-TRZgWg6vn3tM5BdKf7Z0"}','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-L7LPIFWZBEJEVNJSCO6YPJ72R3',1,'','','','vera',1795527267326,1795527267421,3),
('GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','partner','ok','bank','free','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','{"crv":"P-256","kid":"GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas","kty":"EC","x":"xSXcYKlsQX8bQGR2B2llXohlnK_rQmHz6OCJdpZ-ACA","y":"_Cizuwaof0TFW9UVU0k_2SSwH7gekg6Ikd_sBoJy_88"}','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-OQUHE7K2IU5XPXC5AXGGJF2KC2',0,'','','','initial access token:c1ebc0c14effe839',1795527267460,1795527267471,2),
('P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','partner','ok','bank','reviewed','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','{"crv":"P-256","kid":"P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ","kty":"EC","x":"s1od4umvszPxiwrYURvGdmqTs7LziQYyPdOqkQcBQHU","y":"lrvSIef4X7s0RnidxgwI2i12JYorpBJA5YR9gCqrYc8"}','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-6DT4EIP2JYFED7PNWEVSEIRBFL',0,'','','','vera',1795527267500,1795527267992,2),
('tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','partner','ok','bank','reviewed','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','{"crv":"P-256","kid":"tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM","kty":"EC","x":"KmR65NW2-MZxxj2PQTfdX3vhFvXrWBxeRkU54yfLwA8","y":"gpzUE7tk-PWyGp3Py8sRH7YPhFe9L0OxWVP6ckfXoy8"}','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','FAILED',0,'',0,'not_approved','','not approved: The decision of fay','vera',1795527267789,1795527268355,2),
('FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','partner','ok','bank','free','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','{"crv":"P-256","kid":"FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I","kty":"EC","x":"KyJEYOSiht02Bgp8AcBTJe2LcS4AFDFZ1W-g808RVzs","y":"RxWb2ykQBp8x93Wl6NG9uWlxO73wdoXbRVfRvoGa-6w"}','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-C4RE6PQB56NKXW6IFSN4FE6JQD',0,'','','','vera',1795527268804,1795527268871,2),
('Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','partner','ok','bank','free','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','{"crv":"P-256","kid":"Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE","kty":"EC","x":"knW01BS6nPErBtaI4f78FRQKk-kPM1YDVtHhYvDrjlM","y":"q9lhRFf_vUqtJdH4BCpP6HazZKmufMvlEW-WhvcCYZo"}','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-BDYWSVMX3JXCIAVCXHBUMCCD7K',0,'','','','vera',1795527268951,1795527269022,2),
('QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','partner','ok','bank','free','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','{"crv":"P-256","kid":"QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY","kty":"EC","x":"Yjmp_-82-WH7ts6PSdmKJ0AGuVy_-bIyiZFeAY4AQVw","y":"UxNJ43iQequgGxh4P4wHz0biFig8cmG66tuIm1W4VCM"}','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-OORUDADUFXO4SXYPLBH5O2MWDY',0,'','','','vera',1795527269088,1795527269124,2),
('ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','partner','ok','bank','free','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','{"crv":"P-256","kid":"ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs","kty":"EC","x":"v114J-lOMsa9jo7dGfAL_s_tUaVecCLQcpXM65Z_F04","y":"lwDE_-KQRN4vOTRJMqFiLjR931FKCLsbnJ2dnDvgN44"}','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES',0,'','','','vera',1795527337702,1795527337922,3),
('MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','partner','down','bank','free','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','{"crv":"P-256","kid":"MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo","kty":"EC","x":"uTUWs58YPtGdn1bKt4epi85sAGoJMZDgakDamgs_dh8","y":"BW0BptDkySdGdWTiTVKa6DbiXu3l-wpXz4WQHkzOeZI"}','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527358066,1795527358066,1),
('sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','partner','ok','bank','reviewed','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','{"crv":"P-256","kid":"sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng","kty":"EC","x":"4RFjulrUFhc4MiLX-f6ziHt0BgnlaDJi4cDGd5nyPgM","y":"aquknt5vbLH-FdhCVBKiA9hLJv0UQtpsc6fFBwUu4yQ"}','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527358495,1795527358495,1);
CREATE TABLE client_key (
  thumbprint text PRIMARY KEY,
  client_id  text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO client_key (thumbprint,client_id) VALUES
('HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4'),
('-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM'),
('XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q'),
('NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA'),
('DVWvPGAY3HS4dR3WDXvIMKOHud5fCSxwQiCt7eqWjuw','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA'),
('mhHrMC-QNY7pOx7iZXBnFw03S3Ad6tOleRgRFC8nk-I','of-the-provider'),
('a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU'),
('3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4'),
('gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ'),
('GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas'),
('P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ'),
('tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM'),
('FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I'),
('Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE'),
('QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY'),
('ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs'),
('MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo'),
('sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng');
CREATE TABLE initial_token (
  hash       text PRIMARY KEY,
  partner_id text NOT NULL,
  policy_id  text NOT NULL,
  uses       bigint NOT NULL CHECK (uses >= 0),
  expires_ms bigint NOT NULL,
  issued_by  text NOT NULL
);
INSERT INTO initial_token (hash,partner_id,policy_id,uses,expires_ms,issued_by) VALUES
('8e73c00fe3c26b4c6518f75a21fd9c794d1b3f1ec55b439757fb83b2ef89f61b','bank','free',2,1795613667441,'ada'),
('c1ebc0c14effe839cfc342e2b80fb6c97e9e5e6555c79e968d92021b4c27df80','bank','free',4,1795613667450,'ada');
CREATE TABLE registration_token (
  hash      text PRIMARY KEY,
  client_id text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO registration_token (hash,client_id) VALUES
('3227f0d84a23b0a452b41cc8304a1a9aecb79354887db43611b8d01a46e70b8d','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas');
CREATE TABLE approval (
  client_id    text NOT NULL,
  revision     bigint NOT NULL,
  state        text NOT NULL CHECK (state IN ('asking', 'waiting', 'granted', 'denied', 'withdrawing', 'withdrawn')),
  kind         text NOT NULL CHECK (kind IN ('register', 'update')),
  change       text NOT NULL, -- of an update, as JSON
  policy_key   text NOT NULL,
  requester    text NOT NULL,
  title        text NOT NULL,
  context      text NOT NULL, -- of the request, as JSON
  request_id   text NOT NULL,
  context_hash text NOT NULL,
  reason       text NOT NULL, -- of the decision
  requested_ms bigint NOT NULL,
  due_ms       bigint NOT NULL,
  attempts     bigint NOT NULL,
  PRIMARY KEY (client_id, revision)
);
INSERT INTO approval (client_id,revision,state,kind,change,policy_key,requester,title,context,request_id,context_hash,reason,requested_ms,due_ms,attempts) VALUES
('P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',1,'granted','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dc3-d4fc-727d-8945-f67bcf30a031','sha256:781a0c416d65bfe60053e7e4f94544f2049a12cd7677b5bfb2d016908bd77fad','',1795527267500,1795527327881,2),
('tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',1,'denied','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dc3-d62a-7359-ac06-1e078e535cd6','sha256:805ba6768fd3a5c11566f5e60f10ec125fde5c4ebebd78a514014645365ecdad','The decision of fay',1795527267789,1795527328271,2),
('Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',1,'withdrawn','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dc3-d7e0-7732-9c75-edc6c8bec139','sha256:ce5fb9df40e858dce01b7bb0636b976f9f90610642edd5b4fe4f3fa9e37dfc46','',1795527268229,1795527328616,2),
('fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',1,'withdrawing','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dc3-d952-713a-b58c-0261b4f424a4','sha256:6a5a036061f1e528f4ab6c3fd67bc875aad602e787e431d5f275ba223d8eca95','',1795527268542,1795527418584,2),
('P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',2,'waiting','update','{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','oidc-client','vera','Change the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"userClaims":["name"]}','01a20dc3-d9c6-73e2-86f7-fdc0b6bc5134','sha256:12e1b73ac9ddfa7538134ab6150ac32a91e9190ee8e33e66ade45a0ee0f720c1','',1795527268768,1795527568896,1),
('sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng',1,'asking','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','','','',1795527358495,1795527418584,1);
CREATE TABLE idp_call (
  client_id   text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('register', 'update', 'remove', 'read')),
  change      text NOT NULL, -- of an update: not confirmed by the provider, as JSON
  actor       text NOT NULL,
  attempts    bigint NOT NULL,
  due_ms      bigint NOT NULL,
  lease_token text NOT NULL,
  sent        boolean NOT NULL, -- the identity provider may have received the call
  confirmed   boolean NOT NULL, -- the provider's client with the id is this one
  lease_owner text NOT NULL
);
INSERT INTO idp_call (client_id,kind,change,actor,attempts,due_ms,lease_token,sent,confirmed,lease_owner) VALUES
('a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','remove','{}','vera',2,1795527628923,'',1,0,''),
('3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','update','{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',2,1795527628609,'',0,0,''),
('gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','update','{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',0,1795530938827,'',1,0,''),
('tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','register','{}','vera',0,253370764800000,'',0,0,''),
('MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','register','{}','vera',1,1795527418472,'',1,0,''),
('sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','register','{}','vera',0,253370764800000,'',0,0,''),
('NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','read','{}','system:import',1,1795527418920,'U6P6MO3JLN7K7HXLXSL5ENWYBO',1,0,'');
CREATE TABLE provider_record (
  client_id          text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  provider_client_id text NOT NULL,
  uri                text NOT NULL,
  access_token       text NOT NULL
);
INSERT INTO provider_record (client_id,provider_client_id,uri,access_token) VALUES
('HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','assigned-ELVZTYXSD42IVLXWOWP7IMRHGP','http://127.0.0.1:18476/register/assigned-ELVZTYXSD42IVLXWOWP7IMRHGP','dump:DFJV7rfcXRVuhBjsorcwq_Xs9U1qlspblOIyEfoicqRnali5B-cb2omCKVP57eXWz8xkM3PRdhFyO1Qg2EtBtgm68CHT'),
('-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','assigned-CQLMQSWHSZONDHRWR7XD22CWTI','http://127.0.0.1:18476/register/assigned-CQLMQSWHSZONDHRWR7XD22CWTI','dump:eAp1RZJ7YnYWnuLnIHrrhHPmBC1f0b_LhhXsoZzwiUSjYmx49fuVd9E5b62hucOEywCy7fNYXcfMXUdgsp2HaDWrNFQV'),
('XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','assigned-LII55GMROZCMWNZTQZEHGUVGU3','http://127.0.0.1:18476/register/assigned-LII55GMROZCMWNZTQZEHGUVGU3','dump:nym-sg-KGQrhw5Ssa_ZeyiO_jGKSm25pRle6Zy-M8NGCDbxZYqKk4wRha08-CJHPQ7NF7zvQTvNN7_Rl-HwwXQ6zSu4z'),
('NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT','http://127.0.0.1:18476/register/assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT','dump:3dQKGy-0OOQuj56pbwJjkukdh4iqJagnf4khP6m5gBKIawKet0ak2iILQ5zyyQ0b-Gg435EkqmDg9zoXVw528tDyrV9A'),
('of-the-provider','assigned-PPXLHF5XSOI7QCEHE6KAASKVYT','http://127.0.0.1:18476/register/assigned-PPXLHF5XSOI7QCEHE6KAASKVYT','dump:K8dILH6HHTE01WIWv--oU-ZOuAl43fVeoE14lkbdgEi8yUwo0YBrUxIQafUMmWBdizZQ164FhE_W39NSgeX9ZijO_tUW'),
('3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','assigned-A7VEESWVI3PCKOO6QM3YYQUOE7','http://127.0.0.1:18476/register/assigned-A7VEESWVI3PCKOO6QM3YYQUOE7','dump:RwSroAEWqBCXJWNPOx61G1so9vNK9QIm3bQ503EqLGe8NZqImSVL63k_M--I9HxsRYeLxf8Ok5rYkz-XrCm727rFOigA'),
('gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','assigned-L7LPIFWZBEJEVNJSCO6YPJ72R3','http://127.0.0.1:18476/register/assigned-L7LPIFWZBEJEVNJSCO6YPJ72R3','dump:6hx8qgqw9BhSdVqRTSDzYnBX3L13BH_IHBIIMucaeIn14GZJKAoIiv1FNvDDas8xUo_LnM0SaPu-fwgR4TiYjpCX2Z_C'),
('GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','assigned-OQUHE7K2IU5XPXC5AXGGJF2KC2','http://127.0.0.1:18476/register/assigned-OQUHE7K2IU5XPXC5AXGGJF2KC2','dump:kxkKC-t-XhF5UJeiU5f2DBnvKCE0ieSNUdhTMCGj-odk5E7T5uWWaCo1yujDGsZuLxNUxG91-KfovANNYSkBBrsfZ2iF'),
('P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','assigned-6DT4EIP2JYFED7PNWEVSEIRBFL','http://127.0.0.1:18476/register/assigned-6DT4EIP2JYFED7PNWEVSEIRBFL','dump:23ln1ksa5NKTlc5ONpI_rRU40hpnFarbdm5BFr4Imw4E_O_9U_7qaoLFnJbFx8e3tdhfMOPcsM29CT3a_mJnmOcggIcu'),
('FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','assigned-C4RE6PQB56NKXW6IFSN4FE6JQD','http://127.0.0.1:18476/register/assigned-C4RE6PQB56NKXW6IFSN4FE6JQD','dump:fS-NKG2TFblmAZskvwRTSn7l9ZIi9EJ3p24SuF3RoKN8NRp0WrpNx4ppt3V7M1yIyl1suev07qS9wxAHZQyC_q8sfs1J'),
('Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','assigned-BDYWSVMX3JXCIAVCXHBUMCCD7K','http://127.0.0.1:18476/register/assigned-BDYWSVMX3JXCIAVCXHBUMCCD7K','dump:aUgpQ9VM__rBGw3Jq9an28Y1syG8u2V5XZWB2EdnOUpQkOFb7JhwTxnYH1vTHOSCAk_rIaG-tJmFOtbVflzBxEF14ks6'),
('QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','assigned-OORUDADUFXO4SXYPLBH5O2MWDY','http://127.0.0.1:18476/register/assigned-OORUDADUFXO4SXYPLBH5O2MWDY','dump:xDHHd_73di31XvrgGhssUehjTg9ugYpLS5J2X8V7yhMpqQXtCYDITDrYgBQfm4zhHO5c4kY1e6_gJj8EFeaaOSuZm_gI'),
('ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES','http://127.0.0.1:18476/register/assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES','dump:bE8dNEBWI7vTVb0uUaBVhjRZ4A3KxXjfSLvf3iR1HRhuL33r5ce7oSg-9LyLs7TBAEltsTKG0TNzZ66w_hMVLj4AzKXG');
CREATE TABLE difference (
  client_id text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind      text NOT NULL CHECK (kind IN ('missing', 'changed', 'locked')),
  fields    text NOT NULL, -- of changed
  found_ms  bigint NOT NULL
);
INSERT INTO difference (client_id,kind,fields,found_ms) VALUES
('Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','locked','[]',1795527269595),
('FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','changed','["clientName"]',1795527269604),
('QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','missing','[]',1795527269678);
CREATE TABLE reconciliation (
  name       text PRIMARY KEY,
  after_id   text NOT NULL,
  started_ms bigint NOT NULL,
  ended_ms   bigint NOT NULL -- less than started_ms while it runs
);
INSERT INTO reconciliation (name,after_id,started_ms,ended_ms) VALUES
('provider','',1795527269729,1795527269729);
CREATE TABLE client_event (
  seq                integer PRIMARY KEY AUTOINCREMENT,
  client_id          text NOT NULL,
  type               text NOT NULL,
  actor              text NOT NULL,
  at_ms              bigint NOT NULL,
  changed            text NOT NULL,
  flags              text NOT NULL,
  reason             text NOT NULL,
  provider_code      text NOT NULL,
  provider_client_id text NOT NULL DEFAULT '',
  comment            text NOT NULL DEFAULT '', -- of the approvers
  ignored            text NOT NULL DEFAULT '[]', -- the members of the call that its API does not know
  call_id            text NOT NULL DEFAULT '',
  traceparent        text NOT NULL DEFAULT '',
  purged             bigint NOT NULL DEFAULT 0,
  purged_last_seq    bigint NOT NULL DEFAULT 0
);
INSERT INTO client_event (seq,client_id,type,actor,at_ms,changed,flags,reason,provider_code,provider_client_id,comment,ignored,call_id,traceparent,purged,purged_last_seq) VALUES
(1,'HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','registered','vera',1795527265787,'[]','[]','','','','','[]','MYWU6Y5DASJXVSOQ6UV4CZNWNT','',0,0),
(2,'HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4','activated','vera',1795527265852,'[]','[]','','','assigned-ELVZTYXSD42IVLXWOWP7IMRHGP','','[]','MYWU6Y5DASJXVSOQ6UV4CZNWNT','',0,0),
(3,'-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','registered','vera',1795527265920,'[]','[]','','','','','[]','LJBVMELW4TSQR5O3O4BE5PFTFJ','',0,0),
(4,'-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','activated','vera',1795527265981,'[]','[]','','','assigned-CQLMQSWHSZONDHRWR7XD22CWTI','','[]','LJBVMELW4TSQR5O3O4BE5PFTFJ','',0,0),
(5,'-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM','updated','vera',1795527266117,'["status"]','[]','','','','','[]','IXMFTRUP55G33N275CILU7YDOM','',0,0),
(6,'XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','registered','vera',1795527266156,'[]','[]','','','','','[]','A3SMZWSMKN4JRLYEBWSALU5A5W','',0,0),
(7,'XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','activated','vera',1795527266210,'[]','[]','','','assigned-LII55GMROZCMWNZTQZEHGUVGU3','','[]','A3SMZWSMKN4JRLYEBWSALU5A5W','',0,0),
(8,'XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q','updated','ada',1795527266284,'["status"]','[]','','','','A leaked key','[]','V6I4GRLSCUFMOZKNRII2YYKP2A','',0,0),
(9,'NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','registered','vera',1795527266420,'[]','[]','','','','','[]','O3NLUQ6JQFZ3NN5OMMPC5BHF2G','',0,0),
(10,'NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','activated','vera',1795527266435,'[]','[]','','','assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT','','[]','O3NLUQ6JQFZ3NN5OMMPC5BHF2G','',0,0),
(11,'NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA','updated','vera',1795527266525,'["publicKey"]','[]','','','','','[]','KTLEVL2EYH2L2WULF3DDR5XUKU','',0,0),
(12,'BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po','registered','vera',1795527266599,'[]','[]','','','','','[]','A6JM4VPI55RDEIQSFN7REZMDWQ','',0,0),
(13,'BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po','refused','vera',1795527266655,'[]','[]','provider_refused','','','','[]','A6JM4VPI55RDEIQSFN7REZMDWQ','',0,0),
(14,'of-the-provider','registered','vera',1795527266705,'[]','[]','','','','','[]','2QHDDGTOZLJV6U7VLL4JMAZTIB','',0,0),
(15,'of-the-provider','activated','vera',1795527266736,'[]','[]','','','assigned-PPXLHF5XSOI7QCEHE6KAASKVYT','','[]','2QHDDGTOZLJV6U7VLL4JMAZTIB','',0,0),
(16,'a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU','registered','vera',1795527266794,'[]','[]','','','','','[]','BOJQSNJEPKCSK2GFE3FSXJPTH5','',0,0),
(17,'3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','registered','vera',1795527267135,'[]','[]','','','','','[]','R5ABU7TXQBWJMDB4PDRB5HHD5D','',0,0),
(18,'3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4','activated','vera',1795527267209,'[]','[]','','','assigned-A7VEESWVI3PCKOO6QM3YYQUOE7','','[]','R5ABU7TXQBWJMDB4PDRB5HHD5D','',0,0),
(19,'gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','registered','vera',1795527267326,'[]','[]','','','','','[]','T5RELGVGMV2J5PRZQ3AULQRT3J','',0,0),
(20,'gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','activated','vera',1795527267363,'[]','[]','','','assigned-L7LPIFWZBEJEVNJSCO6YPJ72R3','','[]','T5RELGVGMV2J5PRZQ3AULQRT3J','',0,0),
(21,'gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ','doubtful','vera',1795527267421,'[]','[]','provider_doubtful','','','','[]','DRBPKSJ6WVQ6N4R63ERNMAC4M5','',0,0),
(22,'GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','registered','initial access token:c1ebc0c14effe839',1795527267460,'[]','[]','','','','','[]','W5O7LEZOO3I3I32U4KT5OZBK4X','',0,0),
(23,'GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas','activated','initial access token:c1ebc0c14effe839',1795527267471,'[]','[]','','','assigned-OQUHE7K2IU5XPXC5AXGGJF2KC2','','[]','W5O7LEZOO3I3I32U4KT5OZBK4X','',0,0),
(24,'P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','registered','vera',1795527267500,'[]','[]','','','','','[]','SFYPRJ2QKGCPYDSW2TH7FAVDH2','',0,0),
(25,'P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','held','vera',1795527267500,'[]','[]','','','','','[]','SFYPRJ2QKGCPYDSW2TH7FAVDH2','',0,0),
(26,'tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','registered','vera',1795527267789,'[]','[]','','','','','[]','KO24UW2WYGHRJFN2VDIAIOKBPJ','',0,0),
(27,'tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','held','vera',1795527267789,'[]','[]','','','','','[]','KO24UW2WYGHRJFN2VDIAIOKBPJ','',0,0),
(28,'P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','approved','oidc-registrar',1795527267942,'[]','[]','','','','','[]','CGN63EY4BV3DNN73HCTAPDTQ5L','',0,0),
(29,'P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','activated','oidc-registrar',1795527267992,'[]','[]','','','assigned-6DT4EIP2JYFED7PNWEVSEIRBFL','','[]','CGN63EY4BV3DNN73HCTAPDTQ5L','',0,0),
(30,'Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I','registered','vera',1795527268229,'[]','[]','','','','','[]','IJZC4LGBYEKNBJFUX4OHDQ3BOA','',0,0),
(31,'Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I','held','vera',1795527268229,'[]','[]','','','','','[]','IJZC4LGBYEKNBJFUX4OHDQ3BOA','',0,0),
(32,'tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM','failed','oidc-registrar',1795527268355,'[]','[]','not_approved','','','The decision of fay','[]','ARACMCC2HC5OIXUO4ZZ7B2H6VB','',0,0),
(33,'Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I','removed','vera',1795527268467,'[]','[]','','','','','[]','5IDCPZBLEJDNQVMF7L4MSJFYPA','',0,0),
(34,'fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc','registered','vera',1795527268542,'[]','[]','','','','','[]','JEBKB23SQOHH72QWXHGVWSS446','',0,0),
(35,'fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc','held','vera',1795527268542,'[]','[]','','','','','[]','JEBKB23SQOHH72QWXHGVWSS446','',0,0),
(36,'P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ','held','vera',1795527268768,'["redirectUris"]','[]','','','','','[]','AWTTV77KP5YKRBAO3FMEHDD6K5','',0,0),
(37,'FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','registered','vera',1795527268804,'[]','[]','','','','','[]','WVBIJ6C2DWCTIBNCMYYLGA57FC','',0,0),
(38,'FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','activated','vera',1795527268871,'[]','[]','','','assigned-C4RE6PQB56NKXW6IFSN4FE6JQD','','[]','WVBIJ6C2DWCTIBNCMYYLGA57FC','',0,0),
(39,'Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','registered','vera',1795527268951,'[]','[]','','','','','[]','K4CFGD6QG4TG224CS43WRR4OML','',0,0),
(40,'Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','activated','vera',1795527269022,'[]','[]','','','assigned-BDYWSVMX3JXCIAVCXHBUMCCD7K','','[]','K4CFGD6QG4TG224CS43WRR4OML','',0,0),
(41,'QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','registered','vera',1795527269088,'[]','[]','','','','','[]','QCDO44DE3CVVPSDF6FSIVC445O','',0,0),
(42,'QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','activated','vera',1795527269124,'[]','[]','','','assigned-OORUDADUFXO4SXYPLBH5O2MWDY','','[]','QCDO44DE3CVVPSDF6FSIVC445O','',0,0),
(43,'Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE','missing','system:import',1795527269595,'[]','[]','provider_doubtful','','','','[]','','',0,0),
(44,'FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I','differs','system:import',1795527269604,'["clientName"]','[]','','','','','[]','','',0,0),
(45,'QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY','missing','system:import',1795527269678,'[]','[]','','','','','[]','','',0,0),
(46,'ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','registered','vera',1795527337702,'[]','[]','','','','','[]','GV5BWD5PF2TJTMZSZDXM23JPIT','',0,0),
(47,'ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','activated','vera',1795527337796,'[]','[]','','','assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES','','[]','GV5BWD5PF2TJTMZSZDXM23JPIT','',0,0),
(48,'ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs','updated','vera',1795527337922,'["status"]','[]','','','','','[]','MT74SYJYG6TOTYPCUACD4AFX5P','',0,0),
(49,'MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo','registered','vera',1795527358066,'[]','[]','','','','','[]','QDIUMCRPDVQCKZD6Z5MBHFOE6U','',0,0),
(50,'sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','registered','vera',1795527358495,'[]','[]','','','','','[]','H7PRXLEEKOS5QQA5CRD5NVGMGY','',0,0),
(51,'sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng','held','vera',1795527358495,'[]','[]','','','','','[]','H7PRXLEEKOS5QQA5CRD5NVGMGY','',0,0),
(52,'fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc','removed','vera',1795527358551,'[]','[]','','','','','[]','FYFBTCPH6NEICMIYMZW6R66UNB','',0,0);
CREATE TABLE catalog_event (
  seq         integer PRIMARY KEY AUTOINCREMENT,
  partner_id  text NOT NULL,
  policy_id   text NOT NULL,
  type        text NOT NULL,
  actor       text NOT NULL,
  at_ms       bigint NOT NULL,
  changed     text NOT NULL,
  call_id     text NOT NULL,
  traceparent text NOT NULL
);
INSERT INTO catalog_event (seq,partner_id,policy_id,type,actor,at_ms,changed,call_id,traceparent) VALUES
(1,'demo-partner','','created','system:catalog',1795527265427,'[]','',''),
(2,'','demo-policy','created','system:catalog',1795527265427,'[]','',''),
(3,'demo-partner','demo-policy','approved','system:catalog',1795527265427,'[]','',''),
(4,'','free','created','ada',1795527265656,'[]','IETR72CT2J37NNOB2JOFJKINIE',''),
(5,'','reviewed','created','ada',1795527265658,'[]','D2IIFETAFFNHBPHLTS7HQGZH3I',''),
(6,'','old','created','ada',1795527265667,'[]','XCWOHWJ5WLC4FUPG4SGN3NZYSB',''),
(7,'shop','','created','ada',1795527265687,'[]','EJMFTDL44WQUHBH436TOSBDPMS',''),
(8,'shop','free','approved','ada',1795527265706,'[]','LHCN74MS7YNTJ4ANKHPNM4I4F2',''),
(9,'shop','reviewed','approved','ada',1795527265712,'[]','7W46VXAOGTKKQ3LIBIO7DALLCM',''),
(10,'shop','old','approved','ada',1795527265718,'[]','ZOKJMJ7X6ADMSRVRCS7ANMKYNJ',''),
(11,'bank','','created','ada',1795527265733,'[]','TQQ4EK4X5NZPSZZYM2SACRDKDV',''),
(12,'bank','free','approved','ada',1795527265735,'[]','H5WN7MDTPPJ72VAOZGFEQT3BOJ',''),
(13,'bank','reviewed','approved','ada',1795527265744,'[]','RJTX5NZ4OC446HQEUMEJV3ZYPD',''),
(14,'bank','old','approved','ada',1795527265763,'[]','Z4EPNN323TR4DLA2HLONWJ2JHT',''),
(15,'bank','old','revoked','ada',1795527265775,'[]','P42DWUK363X2ZW4YEEXTAFKREH','');
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
('01a20dc3-ccd3-77a9-ad1f-aa54411ddfa8','gone','http://127.0.0.1:18476/gone','','["client.activated"]','["*"]','','v1',0,'gone',1795527265946,'dump:HLe9HVNY4i-S08pNI55Qz52-rMUJI-JVTDPJyUKb9snMhdr3JRFfTFuD1AwU-98En6T_qntRpST6qqHAyorbAXhB4CLIW-2hZKg54GI_B9qZRK2yKNRrn6PkTYmAsxpKJW3lGfVxW03BLcknQxkpgQxpMxgdpIVoJTb7q0tZb5tNMofGuseJLd8s3unFnpA1RroY0nRqZlS3UYcKboX_MMd2PPyW5DYIh92zPA','f58=','whpk_SMgqq+gOj8/4yRrfedOsgHe7Ln5K4qIPF9fbIOWUEtA=','','','',0,1,1795527265946,0,'{"id":"ada"}',1795527265491,1795527265946,2),
('01a20dc3-cd1c-7a73-a965-4fa072133ee4','slow','http://127.0.0.1:18476/slow','','["client.deactivated"]','["*"]','','v1',1,'',0,'dump:uzzZnOzcNkcKPpxi5Lga-BtrtmWPH1P0DRXGuOw4lIqQ0Trenh2PWOqf1Tj4F5nHj8ZvzEIYAcT_XRTNqgN0LKopH8uJhhHdStigL6EBuH1tc3hdhNgJqovSTOMv30IPmmVKNLidyDl1meyhJCK8TaGaljINVfGDyK-bBAjq7Ra6MYtr0Q5s--oNOizTiNzaI-LXLLOWukLmX07OLnlRMEK544dVxFUJnzCpaQ','NdU=','whpk_TTlFlHRP/8320X/fyqEsKUOWHJftyud15AcnBdl/lGo=','','','',0,4,1795527276238,0,'{"id":"ada"}',1795527265564,1795527265564,1),
('01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','','["*"]','["*"]','','v1',1,'',0,'dump:8oj9Vb6ip2DDcHX8DEnfBwL2QIEma7VRXEvZ0c7BacDNlO6Aa2rv306vZ0Lu2rIQ6o1Vo1k9aTrwiQ6GvaNlez_O-xl_R0F-ZzE5MjpfG73j_U44xqzSzDm4E6ltTNEfPeUIXpbI9wGjPZ4HbaSx5F8odhwNVBAHDU196KCSL88IAFgsYZ91pc0E-7m_JrYkmtkEiDSd8pIASfpJN5fpNf9jVGhzCl42imJafw','DyU=','whpk_qww8EejHaMXKwu01p7JXHaAZhPzz53uaz/d+j2SuA3c=','','','',0,0,0,0,'{"id":"ada"}',1795527265612,1795527265612,1),
('01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','','["client.*"]','["*"]','','v1',0,'admin',1795527358015,'dump:DWYfsmE_9na0anHXPYpe71eT6HZNRIH06O9TutEE5tg3AtzzihOGAPexlKlZTfG4YmPEKq1sTW_HJNV5kbHHwVv5MamNi70PdzPhEMM1wi-iF0v53iTF4mRm5awFa45TN5etSxuBvq_e6N_hLUaryf1X8YL0XHnqdUoeB6Wgwgxjhc5Um30YiC46wHbKkOlWkSiz_oDwgs1RF84NPKpHpQKl6ZUt58f7O5RKnw','3xA=','whpk_TTdDbccEBetOf4d84IxPyGbgZivYljXh2slZRwEqUxM=','','','',0,7,1795527265857,1795527476938,'{"id":"ada"}',1795527265626,1795527358015,2),
('01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','v1a',1,'',0,'dump:JAH68RseiqL1zTsI3JIDTgdEptawnSOcwKbrS-5Be8Byft13iSzB_TNNKUy0ZcIeI69tQsaon4KcLx3U3M46mUBe7pND5IuuM0DgZnSjMzriI3kU6MLRt5poi967SJCt5cBrQ-NZQ9Cv3fftU5wLwA3PAQnWiscBRghk2yUnWmD3IZNP8JMTehgswYwqmRXFRsy9yb9IjGgCKNiVsuNzmacrpdlD-zERX1KcAw','dQk=','whpk_R/h27/g8K83mlxeRFs+Peav91WcRDo7nuOv9wbgAlPA=','','','',0,0,0,0,'{"id":"ada"}',1795527265641,1795527265641,1),
('01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','both',1,'',0,'dump:CB4-o5wTaAo3_DL9in2XhSFtogI7JdpbV0lvErX3-M5RWBQ7j5QDsZowhEkpFMyKLgGRzdtW1MRQSbrKIqHHP-xfAn4ulkGfUP-mLwYgGz4k1a09h4YgRr6tDBgJWWaMEUr4OyrK-84jnfArS6llGwgy-m9K_OnbNLFh4VTxS4iwq5F8Hx2ShDZVuEecPcDDSHD4nz_1LguPA3W-Mx7s9bBzA8X9HcFXJDrvug','5ic=','whpk_z0fs5WMx67yXfx++n+YtSLei0Px/blwKYjg4uQpxHP8=','','','',0,0,0,0,'{"id":"ada"}',1795527265651,1795527265651,1);
CREATE TABLE message (
  event_id    text NOT NULL,
  variant     text NOT NULL, -- the parts that it includes
  payload     text NOT NULL, -- JSON
  traceparent text NOT NULL,
  PRIMARY KEY (event_id, variant)
);
INSERT INTO message (event_id,variant,payload,traceparent) VALUES
('01a20dc3-cdfd-726e-969a-f94021ede2ca','','{"type":"client.registered","timestamp":"2026-11-24T13:34:25.787Z","data":{"eventId":"01a20dc3-cdfd-726e-969a-f94021ede2ca","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','{"type":"client.activated","timestamp":"2026-11-24T13:34:25.852Z","data":{"eventId":"01a20dc3-ce3d-72ca-abe3-cf6b6829f28a","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4","providerClientId":"assigned-ELVZTYXSD42IVLXWOWP7IMRHGP","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-ce80-788a-ba60-19975d27f2ea','','{"type":"client.registered","timestamp":"2026-11-24T13:34:25.920Z","data":{"eventId":"01a20dc3-ce80-788a-ba60-19975d27f2ea","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','{"type":"client.activated","timestamp":"2026-11-24T13:34:25.981Z","data":{"eventId":"01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM","providerClientId":"assigned-CQLMQSWHSZONDHRWR7XD22CWTI","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-cf4d-7910-8a91-34df1c0749fe','','{"type":"client.deactivated","timestamp":"2026-11-24T13:34:26.117Z","data":{"eventId":"01a20dc3-cf4d-7910-8a91-34df1c0749fe","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM","providerClientId":"assigned-CQLMQSWHSZONDHRWR7XD22CWTI","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba','','{"type":"client.registered","timestamp":"2026-11-24T13:34:26.156Z","data":{"eventId":"01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-cfad-7e8a-86ff-3953083b35da','','{"type":"client.activated","timestamp":"2026-11-24T13:34:26.210Z","data":{"eventId":"01a20dc3-cfad-7e8a-86ff-3953083b35da","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q","providerClientId":"assigned-LII55GMROZCMWNZTQZEHGUVGU3","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-cfff-781f-990b-04a6459f02cf','','{"type":"client.deactivated","timestamp":"2026-11-24T13:34:26.284Z","data":{"eventId":"01a20dc3-cfff-781f-990b-04a6459f02cf","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q","providerClientId":"assigned-LII55GMROZCMWNZTQZEHGUVGU3","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}',''),
('01a20dc3-d075-73c4-9a97-f9a6e5c7f865','','{"type":"client.registered","timestamp":"2026-11-24T13:34:26.420Z","data":{"eventId":"01a20dc3-d075-73c4-9a97-f9a6e5c7f865","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d083-7e10-8d73-af6bd99680bb','','{"type":"client.activated","timestamp":"2026-11-24T13:34:26.435Z","data":{"eventId":"01a20dc3-d083-7e10-8d73-af6bd99680bb","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA","providerClientId":"assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d0de-7106-aa8b-64541898b0b9','','{"type":"client.updated","timestamp":"2026-11-24T13:34:26.525Z","data":{"eventId":"01a20dc3-d0de-7106-aa8b-64541898b0b9","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA","providerClientId":"assigned-XXVBV7HOPZ4REY6IYAD6TPUWHT","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}',''),
('01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2','','{"type":"client.registered","timestamp":"2026-11-24T13:34:26.599Z","data":{"eventId":"01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d160-7931-8f30-49317767c349','','{"type":"client.failed","timestamp":"2026-11-24T13:34:26.655Z","data":{"eventId":"01a20dc3-d160-7931-8f30-49317767c349","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}',''),
('01a20dc3-d191-798d-a886-0d9cb9c53408','','{"type":"client.registered","timestamp":"2026-11-24T13:34:26.705Z","data":{"eventId":"01a20dc3-d191-798d-a886-0d9cb9c53408","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc','','{"type":"client.activated","timestamp":"2026-11-24T13:34:26.736Z","data":{"eventId":"01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-PPXLHF5XSOI7QCEHE6KAASKVYT","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d1ea-7d08-a3a1-73bcb6001af4','','{"type":"client.registered","timestamp":"2026-11-24T13:34:26.794Z","data":{"eventId":"01a20dc3-d1ea-7d08-a3a1-73bcb6001af4","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d340-76d6-95b1-322b5a4f13fd','','{"type":"client.registered","timestamp":"2026-11-24T13:34:27.135Z","data":{"eventId":"01a20dc3-d340-76d6-95b1-322b5a4f13fd","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719','','{"type":"client.activated","timestamp":"2026-11-24T13:34:27.209Z","data":{"eventId":"01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4","providerClientId":"assigned-A7VEESWVI3PCKOO6QM3YYQUOE7","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d3ff-7373-98e9-d49eeabfc79e','','{"type":"client.registered","timestamp":"2026-11-24T13:34:27.326Z","data":{"eventId":"01a20dc3-d3ff-7373-98e9-d49eeabfc79e","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d424-77f3-87dd-fcd98c4ee011','','{"type":"client.activated","timestamp":"2026-11-24T13:34:27.363Z","data":{"eventId":"01a20dc3-d424-77f3-87dd-fcd98c4ee011","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ","providerClientId":"assigned-L7LPIFWZBEJEVNJSCO6YPJ72R3","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d485-76e2-8074-3d0ebcbec869','','{"type":"client.registered","timestamp":"2026-11-24T13:34:27.460Z","data":{"eventId":"01a20dc3-d485-76e2-8074-3d0ebcbec869","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:c1ebc0c14effe839"}}',''),
('01a20dc3-d490-76c8-8905-0b0a9b51f1f7','','{"type":"client.activated","timestamp":"2026-11-24T13:34:27.471Z","data":{"eventId":"01a20dc3-d490-76c8-8905-0b0a9b51f1f7","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas","providerClientId":"assigned-OQUHE7K2IU5XPXC5AXGGJF2KC2","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:c1ebc0c14effe839"}}',''),
('01a20dc3-d4b8-7b48-8df2-5451142646c1','','{"type":"client.registered","timestamp":"2026-11-24T13:34:27.500Z","data":{"eventId":"01a20dc3-d4b8-7b48-8df2-5451142646c1","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec','','{"type":"client.registered","timestamp":"2026-11-24T13:34:27.789Z","data":{"eventId":"01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d699-78e3-b58a-e4f0c37460d5','','{"type":"client.activated","timestamp":"2026-11-24T13:34:27.992Z","data":{"eventId":"01a20dc3-d699-78e3-b58a-e4f0c37460d5","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ","providerClientId":"assigned-6DT4EIP2JYFED7PNWEVSEIRBFL","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}',''),
('01a20dc3-d786-7da2-a6fc-e3ba38574a1d','','{"type":"client.registered","timestamp":"2026-11-24T13:34:28.229Z","data":{"eventId":"01a20dc3-d786-7da2-a6fc-e3ba38574a1d","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d804-70bf-bf51-3fb0b16c45a2','','{"type":"client.failed","timestamp":"2026-11-24T13:34:28.355Z","data":{"eventId":"01a20dc3-d804-70bf-bf51-3fb0b16c45a2","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}',''),
('01a20dc3-d874-7614-9c92-30ff386173bb','','{"type":"client.failed","timestamp":"2026-11-24T13:34:28.467Z","data":{"eventId":"01a20dc3-d874-7614-9c92-30ff386173bb","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d8c0-72d5-914a-cc5fd43570e1','','{"type":"client.registered","timestamp":"2026-11-24T13:34:28.542Z","data":{"eventId":"01a20dc3-d8c0-72d5-914a-cc5fd43570e1","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-d9c4-7bf7-974d-638f23e15b1a','','{"type":"client.registered","timestamp":"2026-11-24T13:34:28.804Z","data":{"eventId":"01a20dc3-d9c4-7bf7-974d-638f23e15b1a","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-da08-7826-9d86-e6c3263fbdc0','','{"type":"client.activated","timestamp":"2026-11-24T13:34:28.871Z","data":{"eventId":"01a20dc3-da08-7826-9d86-e6c3263fbdc0","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I","providerClientId":"assigned-C4RE6PQB56NKXW6IFSN4FE6JQD","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-da57-79d0-9027-38b9869235e1','','{"type":"client.registered","timestamp":"2026-11-24T13:34:28.951Z","data":{"eventId":"01a20dc3-da57-79d0-9027-38b9869235e1","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-da9f-7925-82e6-52e1e53a6a2d','','{"type":"client.activated","timestamp":"2026-11-24T13:34:29.022Z","data":{"eventId":"01a20dc3-da9f-7925-82e6-52e1e53a6a2d","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE","providerClientId":"assigned-BDYWSVMX3JXCIAVCXHBUMCCD7K","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-dae0-77c7-8949-fcf4469e9877','','{"type":"client.registered","timestamp":"2026-11-24T13:34:29.088Z","data":{"eventId":"01a20dc3-dae0-77c7-8949-fcf4469e9877","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc3-db04-7ca2-92ec-a9a491269ab2','','{"type":"client.activated","timestamp":"2026-11-24T13:34:29.124Z","data":{"eventId":"01a20dc3-db04-7ca2-92ec-a9a491269ab2","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY","providerClientId":"assigned-OORUDADUFXO4SXYPLBH5O2MWDY","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc4-e6e8-7108-abbf-b662c0ca0b3b','','{"type":"client.registered","timestamp":"2026-11-24T13:35:37.702Z","data":{"eventId":"01a20dc4-e6e8-7108-abbf-b662c0ca0b3b","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc4-e745-7a4b-b86d-ecf9a1668191','','{"type":"client.activated","timestamp":"2026-11-24T13:35:37.796Z","data":{"eventId":"01a20dc4-e745-7a4b-b86d-ecf9a1668191","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs","providerClientId":"assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc4-e7c3-7a46-90c2-181ab5322948','','{"type":"client.deactivated","timestamp":"2026-11-24T13:35:37.922Z","data":{"eventId":"01a20dc4-e7c3-7a46-90c2-181ab5322948","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs","providerClientId":"assigned-IP5PJ7SXGN6RYRQLDLKVUFVQES","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20dc5-3689-70a1-b980-5f2b79830974','','{"type":"client.registered","timestamp":"2026-11-24T13:35:58.066Z","data":{"eventId":"01a20dc5-3689-70a1-b980-5f2b79830974","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc5-3820-764b-9a60-bd3c448f1c0c','','{"type":"client.registered","timestamp":"2026-11-24T13:35:58.495Z","data":{"eventId":"01a20dc5-3820-764b-9a60-bd3c448f1c0c","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dc5-3858-7bb1-a426-75c8a1fd4728','','{"type":"client.failed","timestamp":"2026-11-24T13:35:58.551Z","data":{"eventId":"01a20dc5-3858-7bb1-a426-75c8a1fd4728","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}','');
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
('01a20dc3-cdfd-72b3-a446-5425864ee197','01a20dc3-cdfd-726e-969a-f94021ede2ca','','client.registered','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527265855,204,'',2,'',1795527265857,1795527265787,1795527265857),
('01a20dc3-cdfd-72b5-b643-9a9e1021df04','01a20dc3-cdfd-726e-969a-f94021ede2ca','','client.registered','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527265855,503,'status 503',2,'',0,1795527265787,1795527358015),
('01a20dc3-cdfd-72b6-a5d4-bafe6caf9293','01a20dc3-cdfd-726e-969a-f94021ede2ca','','client.registered','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527265855,204,'',2,'',1795527265857,1795527265787,1795527265857),
('01a20dc3-cdfd-72b7-b5aa-f23c95b03a14','01a20dc3-cdfd-726e-969a-f94021ede2ca','','client.registered','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527265852,204,'',5,'',1795527265857,1795527265787,1795527265857),
('01a20dc3-ce3d-731a-9811-f340383b9555','01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','client.activated','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',2,'01a20dc3-ccd3-77a9-ad1f-aa54411ddfa8','gone','http://127.0.0.1:18476/gone','01a20dc3-ccd3-77a9-ad1f-aa54411ddfa8','failed',1,1,0,1795527265944,410,'status 410',2,'',0,1795527265852,1795527265946),
('01a20dc3-ce3d-731c-9293-9ec5aa848399','01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','client.activated','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527265944,204,'',2,'',1795527265946,1795527265852,1795527265946),
('01a20dc3-ce3d-731d-a50e-76e7e560ef5a','01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','client.activated','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527265944,503,'status 503',2,'',0,1795527265852,1795527358015),
('01a20dc3-ce3d-731e-86d1-31d7c4d030ff','01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','client.activated','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527265944,204,'',2,'',1795527265946,1795527265852,1795527265946),
('01a20dc3-ce3d-731f-98b6-5769768c9f26','01a20dc3-ce3d-72ca-abe3-cf6b6829f28a','','client.activated','HS6TOA9getOs7PN_CaIznYBPFCP1OgFq_csYc3rz7Z4',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527265944,204,'',2,'',1795527265946,1795527265852,1795527265946),
('01a20dc3-ce80-78e3-9871-a38b280b9978','01a20dc3-ce80-788a-ba60-19975d27f2ea','','client.registered','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266031,204,'',4,'',1795527266035,1795527265920,1795527266035),
('01a20dc3-ce80-78e6-b428-30ed3188d128','01a20dc3-ce80-788a-ba60-19975d27f2ea','','client.registered','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527266031,503,'status 503',4,'',0,1795527265920,1795527358015),
('01a20dc3-ce80-78e9-b846-a2873b43183d','01a20dc3-ce80-788a-ba60-19975d27f2ea','','client.registered','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266031,204,'',4,'',1795527266035,1795527265920,1795527266035),
('01a20dc3-ce80-78ea-9b2c-6d7045b57827','01a20dc3-ce80-788a-ba60-19975d27f2ea','','client.registered','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266031,204,'',4,'',1795527266035,1795527265920,1795527266035),
('01a20dc3-cebd-7cf8-bf3e-ee12e79cf9d1','01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','client.activated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',2,'01a20dc3-ccd3-77a9-ad1f-aa54411ddfa8','gone','http://127.0.0.1:18476/gone','01a20dc3-ccd3-77a9-ad1f-aa54411ddfa8','cancelled',1,0,0,0,0,'',0,'',0,1795527265981,1795527266025),
('01a20dc3-cebd-7cfa-9d9f-4ec7329e92bc','01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','client.activated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266145,204,'',5,'',1795527266150,1795527265981,1795527266150),
('01a20dc3-cebd-7cfb-95bd-e28f48a4d3c1','01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','client.activated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527266145,503,'status 503',5,'',0,1795527265981,1795527358015),
('01a20dc3-cebd-7cfe-99f7-70f171c9063e','01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','client.activated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266145,204,'',5,'',1795527266150,1795527265981,1795527266150),
('01a20dc3-cebd-7cff-a724-dda7b1c75e1e','01a20dc3-cebd-7cb1-9db3-c93f5d7e61e6','','client.activated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266146,204,'',4,'',1795527266150,1795527265981,1795527266150),
('01a20dc3-cf4d-796d-9d27-81055aca081f','01a20dc3-cf4d-7910-8a91-34df1c0749fe','','client.deactivated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',3,'01a20dc3-cd1c-7a73-a965-4fa072133ee4','slow','http://127.0.0.1:18476/slow','01a20dc3-cd1c-7a73-a965-4fa072133ee4','sending',1,2,0,1795527338914,0,'timeout',10002,'',0,1795527266117,1795527348916),
('01a20dc3-cf4d-797c-b5a7-003cc5552cc0','01a20dc3-cf4d-7910-8a91-34df1c0749fe','','client.deactivated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',3,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266189,204,'',3,'',1795527266192,1795527266117,1795527266192),
('01a20dc3-cf4d-797f-854b-0b2452c28fb5','01a20dc3-cf4d-7910-8a91-34df1c0749fe','','client.deactivated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',3,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527266191,503,'status 503',1,'',0,1795527266117,1795527358015),
('01a20dc3-cf4d-7980-9030-cee0feea1faf','01a20dc3-cf4d-7910-8a91-34df1c0749fe','','client.deactivated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',3,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266191,204,'',1,'',1795527266192,1795527266117,1795527266192),
('01a20dc3-cf4d-7981-8b99-1e4408712ca6','01a20dc3-cf4d-7910-8a91-34df1c0749fe','','client.deactivated','-BBKWXo4GYcu0afe7Y23THxnFsR9vcJZtVVv9Fpp7QM',3,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266192,204,'',0,'',1795527266192,1795527266117,1795527266192),
('01a20dc3-cf6c-7ebe-8c95-2c69f29db362','01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba','','client.registered','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266234,204,'',3,'',1795527266237,1795527266156,1795527266237),
('01a20dc3-cf6c-7ec1-8a9c-95125866206e','01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba','','client.registered','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527266234,503,'status 503',3,'',0,1795527266156,1795527358015),
('01a20dc3-cf6c-7ec3-8185-8ea1aab30d36','01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba','','client.registered','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266234,204,'',3,'',1795527266237,1795527266156,1795527266237),
('01a20dc3-cf6c-7ec4-9f71-ab3ea1c7867e','01a20dc3-cf6c-7e69-93f0-ec75a53cf2ba','','client.registered','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266235,204,'',2,'',1795527266237,1795527266156,1795527266237),
('01a20dc3-cfad-7f20-9ed2-d6c142052aa1','01a20dc3-cfad-7e8a-86ff-3953083b35da','','client.activated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266334,204,'',12,'',1795527266346,1795527266210,1795527266346),
('01a20dc3-cfad-7f22-94ad-d4fa6d718fc6','01a20dc3-cfad-7e8a-86ff-3953083b35da','','client.activated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527266333,503,'status 503',12,'',0,1795527266210,1795527358015),
('01a20dc3-cfad-7f23-be9c-9ad40a29bf89','01a20dc3-cfad-7e8a-86ff-3953083b35da','','client.activated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266334,204,'',11,'',1795527266345,1795527266210,1795527266345),
('01a20dc3-cfad-7f24-a17c-ce8c7864aa86','01a20dc3-cfad-7e8a-86ff-3953083b35da','','client.activated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266333,204,'',13,'',1795527266346,1795527266210,1795527266346),
('01a20dc3-cfff-788c-9d23-75eeb6d17cf7','01a20dc3-cfff-781f-990b-04a6459f02cf','','client.deactivated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',3,'01a20dc3-cd1c-7a73-a965-4fa072133ee4','slow','http://127.0.0.1:18476/slow','01a20dc3-cd1c-7a73-a965-4fa072133ee4','sending',1,2,0,1795527341396,0,'timeout',10004,'',0,1795527266284,1795527351400),
('01a20dc3-cfff-788e-8a4b-178bc0e2f921','01a20dc3-cfff-781f-990b-04a6459f02cf','','client.deactivated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',3,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266431,204,'',3,'',1795527266434,1795527266284,1795527266434),
('01a20dc3-cfff-788f-a95a-c6c039fb1e7c','01a20dc3-cfff-781f-990b-04a6459f02cf','','client.deactivated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',3,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527296490,503,'status 503',3,'',0,1795527266284,1795527358015),
('01a20dc3-cfff-7890-a175-29da787add52','01a20dc3-cfff-781f-990b-04a6459f02cf','','client.deactivated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',3,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266431,204,'',3,'',1795527266434,1795527266284,1795527266434),
('01a20dc3-cfff-7891-bc12-744b5944ff7a','01a20dc3-cfff-781f-990b-04a6459f02cf','','client.deactivated','XPV7V10fPuwajG2n0ePYPVizqk8dz2euZYQhwg8xU2Q',3,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266431,204,'',3,'',1795527266434,1795527266284,1795527266434),
('01a20dc3-d075-7465-a682-73782afcd127','01a20dc3-d075-73c4-9a97-f9a6e5c7f865','','client.registered','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266503,204,'',2,'',1795527266505,1795527266420,1795527266505),
('01a20dc3-d075-7467-891f-8d9fb1769226','01a20dc3-d075-73c4-9a97-f9a6e5c7f865','','client.registered','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,1,0,1795527356936,503,'status 503',2,'',0,1795527266420,1795527358015),
('01a20dc3-d075-7469-a445-02b680e50a9f','01a20dc3-d075-73c4-9a97-f9a6e5c7f865','','client.registered','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266503,204,'',2,'',1795527266505,1795527266420,1795527266505),
('01a20dc3-d075-746a-ad8b-fcf414446c18','01a20dc3-d075-73c4-9a97-f9a6e5c7f865','','client.registered','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266503,204,'',2,'',1795527266505,1795527266420,1795527266505),
('01a20dc3-d083-7e9b-ac22-54c792bf03b3','01a20dc3-d083-7e10-8d73-af6bd99680bb','','client.activated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266503,204,'',2,'',1795527266505,1795527266435,1795527266505),
('01a20dc3-d083-7e9d-b734-78049b5cbd37','01a20dc3-d083-7e10-8d73-af6bd99680bb','','client.activated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266435,1795527358015),
('01a20dc3-d083-7e9e-934d-aeb633dd1961','01a20dc3-d083-7e10-8d73-af6bd99680bb','','client.activated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266504,204,'',1,'',1795527266505,1795527266435,1795527266505),
('01a20dc3-d083-7e9f-9b85-24146c424a14','01a20dc3-d083-7e10-8d73-af6bd99680bb','','client.activated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266504,204,'',1,'',1795527266505,1795527266435,1795527266505),
('01a20dc3-d0de-714f-8e4a-9b1debba582b','01a20dc3-d0de-7106-aa8b-64541898b0b9','','client.updated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',3,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266628,204,'',1,'',1795527266629,1795527266525,1795527266629),
('01a20dc3-d0de-7151-9226-c52b0e150bdf','01a20dc3-d0de-7106-aa8b-64541898b0b9','','client.updated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',3,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266525,1795527358015),
('01a20dc3-d0de-7153-958c-e8b4065a7e19','01a20dc3-d0de-7106-aa8b-64541898b0b9','','client.updated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',3,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266628,204,'',1,'',1795527266629,1795527266525,1795527266629),
('01a20dc3-d0de-7154-a2c4-67f1a9bd9a4d','01a20dc3-d0de-7106-aa8b-64541898b0b9','','client.updated','NHItEzrl5y7K8_QpdwiBa5dzG2LrIq1WZT-YoOxshAA',3,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266628,204,'',1,'',1795527266629,1795527266525,1795527266629),
('01a20dc3-d127-7e3c-9f8f-5fcc97a99d76','01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2','','client.registered','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266670,204,'',1,'',1795527266671,1795527266599,1795527266671),
('01a20dc3-d127-7e3e-a8cc-855928e2e380','01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2','','client.registered','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266599,1795527358015),
('01a20dc3-d127-7e40-b771-da729e25931f','01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2','','client.registered','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266670,204,'',1,'',1795527266671,1795527266599,1795527266671),
('01a20dc3-d127-7e41-944c-c473f5b81eba','01a20dc3-d127-7dc7-9ce2-d31a35f8f2e2','','client.registered','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266670,204,'',1,'',1795527266671,1795527266599,1795527266671),
('01a20dc3-d160-79a2-93b9-8dde0137f65a','01a20dc3-d160-7931-8f30-49317767c349','','client.failed','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266733,204,'',2,'',1795527266735,1795527266655,1795527266735),
('01a20dc3-d160-79a4-8257-d53d32d9e0b8','01a20dc3-d160-7931-8f30-49317767c349','','client.failed','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266655,1795527358015),
('01a20dc3-d160-79a5-b765-a2da8513fb84','01a20dc3-d160-7931-8f30-49317767c349','','client.failed','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266733,204,'',2,'',1795527266735,1795527266655,1795527266735),
('01a20dc3-d160-79a6-999f-097bfc349498','01a20dc3-d160-7931-8f30-49317767c349','','client.failed','BBN6Bb-eAjAKxrmp_8j3s-36tA7CqIE8r_hFoIlV4Po',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266733,204,'',2,'',1795527266735,1795527266655,1795527266735),
('01a20dc3-d191-79e3-afc9-cac58cd813c1','01a20dc3-d191-798d-a886-0d9cb9c53408','','client.registered','of-the-provider',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266732,204,'',1,'',1795527266733,1795527266705,1795527266733),
('01a20dc3-d191-79e5-a06a-f1a30d146bdc','01a20dc3-d191-798d-a886-0d9cb9c53408','','client.registered','of-the-provider',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266705,1795527358015),
('01a20dc3-d191-79e6-8ae8-6bbd6f2fdd5d','01a20dc3-d191-798d-a886-0d9cb9c53408','','client.registered','of-the-provider',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266732,204,'',1,'',1795527266733,1795527266705,1795527266733),
('01a20dc3-d191-79e7-a0e9-721cf94529f3','01a20dc3-d191-798d-a886-0d9cb9c53408','','client.registered','of-the-provider',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266732,204,'',1,'',1795527266733,1795527266705,1795527266733),
('01a20dc3-d1b1-7c49-b8dc-5a77566b3f32','01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc','','client.activated','of-the-provider',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266828,204,'',4,'',1795527266832,1795527266736,1795527266832),
('01a20dc3-d1b1-7c4b-97da-23eaf43a7c6d','01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc','','client.activated','of-the-provider',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266736,1795527358015),
('01a20dc3-d1b1-7c4c-a918-bbc3f1a1013b','01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc','','client.activated','of-the-provider',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266829,204,'',3,'',1795527266832,1795527266736,1795527266832),
('01a20dc3-d1b1-7c4d-ab21-d70c81a43c1e','01a20dc3-d1b1-7bf8-ac9d-a240d7b38bfc','','client.activated','of-the-provider',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266829,204,'',3,'',1795527266832,1795527266736,1795527266832),
('01a20dc3-d1ea-7d98-be78-37e55f0127ec','01a20dc3-d1ea-7d08-a3a1-73bcb6001af4','','client.registered','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527266829,204,'',1,'',1795527266830,1795527266794,1795527266830),
('01a20dc3-d1ea-7d9a-a4df-50f775bd3846','01a20dc3-d1ea-7d08-a3a1-73bcb6001af4','','client.registered','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527266794,1795527358015),
('01a20dc3-d1ea-7d9b-97b3-f859740a1faa','01a20dc3-d1ea-7d08-a3a1-73bcb6001af4','','client.registered','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527266829,204,'',1,'',1795527266830,1795527266794,1795527266830),
('01a20dc3-d1ea-7d9c-889a-93db4b25ed3a','01a20dc3-d1ea-7d08-a3a1-73bcb6001af4','','client.registered','a6cBfs7MB3y-IvcTYqiEzUDf07noA7U7Ip8jH7-DfOU',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527266829,204,'',1,'',1795527266830,1795527266794,1795527266830),
('01a20dc3-d340-7717-86f4-98fe735a5352','01a20dc3-d340-76d6-95b1-322b5a4f13fd','','client.registered','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267219,204,'',8,'',1795527267227,1795527267135,1795527267227),
('01a20dc3-d340-771a-8bd2-200509302a5d','01a20dc3-d340-76d6-95b1-322b5a4f13fd','','client.registered','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267135,1795527358015),
('01a20dc3-d340-7730-94c1-cb692365ac79','01a20dc3-d340-76d6-95b1-322b5a4f13fd','','client.registered','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267219,204,'',8,'',1795527267227,1795527267135,1795527267227),
('01a20dc3-d340-7731-818f-8cc655a276ad','01a20dc3-d340-76d6-95b1-322b5a4f13fd','','client.registered','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267210,204,'',13,'',1795527267223,1795527267135,1795527267223),
('01a20dc3-d38a-7808-b857-158fe404bbd9','01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719','','client.activated','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267268,204,'',1,'',1795527267269,1795527267209,1795527267269),
('01a20dc3-d38a-780c-91b0-950579e968ee','01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719','','client.activated','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267209,1795527358015),
('01a20dc3-d38a-781e-9122-b8fe72edd36f','01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719','','client.activated','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267268,204,'',1,'',1795527267269,1795527267209,1795527267269),
('01a20dc3-d38a-7820-b534-afe1dbbbb1e4','01a20dc3-d38a-77bd-aa9c-9bc4e3dd0719','','client.activated','3gFETvUvICMekYC_ClTrICcZDuWkCY68ii14I-lM4K4',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267268,204,'',1,'',1795527267269,1795527267209,1795527267269),
('01a20dc3-d3ff-73fd-80e7-a405518d86e2','01a20dc3-d3ff-7373-98e9-d49eeabfc79e','','client.registered','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267367,204,'',0,'',1795527267367,1795527267326,1795527267367),
('01a20dc3-d3ff-7401-b535-09231d1491cf','01a20dc3-d3ff-7373-98e9-d49eeabfc79e','','client.registered','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267326,1795527358015),
('01a20dc3-d3ff-7402-a794-7d09f3798423','01a20dc3-d3ff-7373-98e9-d49eeabfc79e','','client.registered','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267367,204,'',0,'',1795527267367,1795527267326,1795527267367),
('01a20dc3-d3ff-7404-9287-8d42fa606459','01a20dc3-d3ff-7373-98e9-d49eeabfc79e','','client.registered','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267364,204,'',3,'',1795527267367,1795527267326,1795527267367),
('01a20dc3-d424-784c-b55c-212e14cbd0da','01a20dc3-d424-77f3-87dd-fcd98c4ee011','','client.activated','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267421,204,'',1,'',1795527267422,1795527267363,1795527267422),
('01a20dc3-d424-784e-a4af-5a3639740ba1','01a20dc3-d424-77f3-87dd-fcd98c4ee011','','client.activated','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267363,1795527358015),
('01a20dc3-d424-7851-8287-9f6db19eaf27','01a20dc3-d424-77f3-87dd-fcd98c4ee011','','client.activated','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267422,204,'',0,'',1795527267422,1795527267363,1795527267422),
('01a20dc3-d424-7852-a317-f65a8575189b','01a20dc3-d424-77f3-87dd-fcd98c4ee011','','client.activated','gFWGXb29pO9QwlFaLefFt3oBqFz-LvXHEZ9lOXDQMNQ',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267422,204,'',0,'',1795527267422,1795527267363,1795527267422),
('01a20dc3-d485-7721-b60e-8289ca63b10e','01a20dc3-d485-76e2-8074-3d0ebcbec869','','client.registered','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267503,204,'',23,'',1795527267526,1795527267460,1795527267526),
('01a20dc3-d485-7723-9c92-40d828e68321','01a20dc3-d485-76e2-8074-3d0ebcbec869','','client.registered','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267460,1795527358015),
('01a20dc3-d485-7724-8d05-595a5fd2e08c','01a20dc3-d485-76e2-8074-3d0ebcbec869','','client.registered','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267503,204,'',20,'',1795527267523,1795527267460,1795527267523),
('01a20dc3-d485-7725-b973-cd9978ec1a23','01a20dc3-d485-76e2-8074-3d0ebcbec869','','client.registered','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267503,204,'',20,'',1795527267523,1795527267460,1795527267523),
('01a20dc3-d490-770f-87ed-0287e2736865','01a20dc3-d490-76c8-8905-0b0a9b51f1f7','','client.activated','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267504,204,'',22,'',1795527267526,1795527267471,1795527267526),
('01a20dc3-d490-7712-935e-40ebb8e56d21','01a20dc3-d490-76c8-8905-0b0a9b51f1f7','','client.activated','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267471,1795527358015),
('01a20dc3-d490-7713-a30a-cac854a23ea2','01a20dc3-d490-76c8-8905-0b0a9b51f1f7','','client.activated','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267503,204,'',20,'',1795527267523,1795527267471,1795527267523),
('01a20dc3-d490-7715-bd09-c81f7f010e8b','01a20dc3-d490-76c8-8905-0b0a9b51f1f7','','client.activated','GX4b1XEGKmoCR0GyqCWEX6Bp0GrFBFVCCjrNhZVtSas',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267504,204,'',19,'',1795527267523,1795527267471,1795527267523),
('01a20dc3-d4b8-7b90-bc90-1c168ab6037b','01a20dc3-d4b8-7b48-8df2-5451142646c1','','client.registered','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',0,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267560,204,'',6,'',1795527267566,1795527267500,1795527267566),
('01a20dc3-d4b8-7b92-badb-7569ffe27e7d','01a20dc3-d4b8-7b48-8df2-5451142646c1','','client.registered','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',0,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267500,1795527358015),
('01a20dc3-d4b8-7b94-8634-d3ed3d21d0dd','01a20dc3-d4b8-7b48-8df2-5451142646c1','','client.registered','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',0,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267560,204,'',6,'',1795527267566,1795527267500,1795527267566),
('01a20dc3-d4b8-7b95-9eb4-5ace14886bd5','01a20dc3-d4b8-7b48-8df2-5451142646c1','','client.registered','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',0,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267560,204,'',7,'',1795527267567,1795527267500,1795527267567),
('01a20dc3-d5e7-77d5-9627-d0d2be6dcc5c','01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec','','client.registered','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',0,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527267883,204,'',4,'',1795527267887,1795527267789,1795527267887),
('01a20dc3-d5e7-77d7-aa23-7f4225c84b6c','01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec','','client.registered','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',0,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267789,1795527358015),
('01a20dc3-d5e7-77d9-aede-434c3d36646b','01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec','','client.registered','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',0,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527267883,204,'',4,'',1795527267887,1795527267789,1795527267887),
('01a20dc3-d5e7-77db-a090-8974a88a058e','01a20dc3-d5e7-7782-aa55-7d5e7b9f6cec','','client.registered','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',0,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527267858,204,'',28,'',1795527267886,1795527267789,1795527267886);
INSERT INTO delivery (id,event_id,variant,event_type,client_id,sequence,endpoint_id,endpoint,url,target,status,cycle,attempt,crashes,last_attempt_ms,last_status_code,last_error,last_duration_ms,response_excerpt,delivered_ms,created_ms,updated_ms) VALUES
('01a20dc3-d699-793c-bf12-46df905e4734','01a20dc3-d699-78e3-b58a-e4f0c37460d5','','client.activated','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268080,204,'',9,'',1795527268089,1795527267992,1795527268089),
('01a20dc3-d699-793f-862e-7bb51ec5d1d5','01a20dc3-d699-78e3-b58a-e4f0c37460d5','','client.activated','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527267992,1795527358015),
('01a20dc3-d699-7940-a7f8-f17489e0913b','01a20dc3-d699-78e3-b58a-e4f0c37460d5','','client.activated','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268081,204,'',8,'',1795527268089,1795527267992,1795527268089),
('01a20dc3-d699-7942-9b24-398ba8c35364','01a20dc3-d699-78e3-b58a-e4f0c37460d5','','client.activated','P49ME7L17tYha1atP9jfLrFXqnNbSdWnTH5ZKFMryuQ',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268072,204,'',9,'',1795527268081,1795527267992,1795527268081),
('01a20dc3-d786-7de3-aa4e-9ee62b455e22','01a20dc3-d786-7da2-a6fc-e3ba38574a1d','','client.registered','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',0,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268400,204,'',13,'',1795527268413,1795527268229,1795527268413),
('01a20dc3-d786-7de6-a661-fe6b48079223','01a20dc3-d786-7da2-a6fc-e3ba38574a1d','','client.registered','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',0,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268229,1795527358015),
('01a20dc3-d786-7de7-a550-67193b93b3f1','01a20dc3-d786-7da2-a6fc-e3ba38574a1d','','client.registered','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',0,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268400,204,'',3,'',1795527268403,1795527268229,1795527268403),
('01a20dc3-d786-7de8-ac41-1f8476038e5d','01a20dc3-d786-7da2-a6fc-e3ba38574a1d','','client.registered','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',0,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268399,204,'',13,'',1795527268412,1795527268229,1795527268412),
('01a20dc3-d804-70f9-8587-832d632e8795','01a20dc3-d804-70bf-bf51-3fb0b16c45a2','','client.failed','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268479,204,'',1,'',1795527268480,1795527268355,1795527268480),
('01a20dc3-d804-70fb-afa5-97c98a7c1e4e','01a20dc3-d804-70bf-bf51-3fb0b16c45a2','','client.failed','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268355,1795527358015),
('01a20dc3-d804-70fd-a61c-3dd559271d14','01a20dc3-d804-70bf-bf51-3fb0b16c45a2','','client.failed','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268479,204,'',1,'',1795527268480,1795527268355,1795527268480),
('01a20dc3-d804-70fe-8c34-bbf1e8a60f21','01a20dc3-d804-70bf-bf51-3fb0b16c45a2','','client.failed','tjxHF31M8SIR_MAdvfuJA9nhiOFHY6XdGaWwqtIBNdM',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268479,204,'',1,'',1795527268480,1795527268355,1795527268480),
('01a20dc3-d874-766b-a110-8f9f39b24767','01a20dc3-d874-7614-9c92-30ff386173bb','','client.failed','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268544,204,'',6,'',1795527268550,1795527268467,1795527268550),
('01a20dc3-d874-766d-93cb-4743fb6248c7','01a20dc3-d874-7614-9c92-30ff386173bb','','client.failed','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268467,1795527358015),
('01a20dc3-d874-766e-8d4b-a3b52dc999e1','01a20dc3-d874-7614-9c92-30ff386173bb','','client.failed','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268544,204,'',6,'',1795527268550,1795527268467,1795527268550),
('01a20dc3-d874-766f-94b5-4e2bc252b731','01a20dc3-d874-7614-9c92-30ff386173bb','','client.failed','Enri4R41cvEELUrt1bzKfwp-HAfiMZYRtjF_c01r76I',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268544,204,'',6,'',1795527268550,1795527268467,1795527268550),
('01a20dc3-d8c0-7364-b1f0-61c26430c6d9','01a20dc3-d8c0-72d5-914a-cc5fd43570e1','','client.registered','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',0,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268671,204,'',6,'',1795527268677,1795527268542,1795527268677),
('01a20dc3-d8c0-7367-8a0a-94d061c6489d','01a20dc3-d8c0-72d5-914a-cc5fd43570e1','','client.registered','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',0,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268542,1795527358015),
('01a20dc3-d8c0-7368-9002-c28e7a9834ce','01a20dc3-d8c0-72d5-914a-cc5fd43570e1','','client.registered','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',0,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268671,204,'',6,'',1795527268677,1795527268542,1795527268677),
('01a20dc3-d8c0-7369-9552-608f9a60bd49','01a20dc3-d8c0-72d5-914a-cc5fd43570e1','','client.registered','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',0,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268671,204,'',6,'',1795527268677,1795527268542,1795527268677),
('01a20dc3-d9c4-7c3d-98fd-813cac0e8fd4','01a20dc3-d9c4-7bf7-974d-638f23e15b1a','','client.registered','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268882,204,'',3,'',1795527268885,1795527268804,1795527268885),
('01a20dc3-d9c4-7c3f-8c89-2322f886b50b','01a20dc3-d9c4-7bf7-974d-638f23e15b1a','','client.registered','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268804,1795527358015),
('01a20dc3-d9c4-7c40-ba66-4b3836c0f697','01a20dc3-d9c4-7bf7-974d-638f23e15b1a','','client.registered','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268882,204,'',3,'',1795527268885,1795527268804,1795527268885),
('01a20dc3-d9c4-7c43-8dab-275e90a910de','01a20dc3-d9c4-7bf7-974d-638f23e15b1a','','client.registered','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268878,204,'',7,'',1795527268885,1795527268804,1795527268885),
('01a20dc3-da08-788a-9f45-fc7156f2dd26','01a20dc3-da08-7826-9d86-e6c3263fbdc0','','client.activated','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527268986,204,'',1,'',1795527268987,1795527268871,1795527268987),
('01a20dc3-da08-788d-b9f1-917c048af9b9','01a20dc3-da08-7826-9d86-e6c3263fbdc0','','client.activated','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268871,1795527358015),
('01a20dc3-da08-7890-9d34-dc33cd6da102','01a20dc3-da08-7826-9d86-e6c3263fbdc0','','client.activated','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527268986,204,'',1,'',1795527268987,1795527268871,1795527268987),
('01a20dc3-da08-7891-b727-292990f76f3c','01a20dc3-da08-7826-9d86-e6c3263fbdc0','','client.activated','FdEoRahLx-6tJUXfE7ydnQxmp3x_uGYjFfjqq0X3Z1I',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527268986,204,'',1,'',1795527268987,1795527268871,1795527268987),
('01a20dc3-da57-7a24-97b4-c72cb584865d','01a20dc3-da57-79d0-9027-38b9869235e1','','client.registered','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527269086,204,'',0,'',1795527269086,1795527268951,1795527269086),
('01a20dc3-da57-7a26-a049-f86d5940f1a0','01a20dc3-da57-79d0-9027-38b9869235e1','','client.registered','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527268951,1795527358015),
('01a20dc3-da57-7a28-9599-27e47f1fc722','01a20dc3-da57-79d0-9027-38b9869235e1','','client.registered','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527269085,204,'',1,'',1795527269086,1795527268951,1795527269086),
('01a20dc3-da57-7a29-aaf6-b97e702b715f','01a20dc3-da57-79d0-9027-38b9869235e1','','client.registered','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527269086,204,'',0,'',1795527269086,1795527268951,1795527269086),
('01a20dc3-da9f-7973-91b4-d0d72b4b15a0','01a20dc3-da9f-7925-82e6-52e1e53a6a2d','','client.activated','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527269117,204,'',1,'',1795527269118,1795527269022,1795527269118),
('01a20dc3-da9f-7975-bc3a-dbce6ceb0f5a','01a20dc3-da9f-7925-82e6-52e1e53a6a2d','','client.activated','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527269022,1795527358015),
('01a20dc3-da9f-7976-9891-a6df9f536ebb','01a20dc3-da9f-7925-82e6-52e1e53a6a2d','','client.activated','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527269117,204,'',1,'',1795527269118,1795527269022,1795527269118),
('01a20dc3-da9f-7979-a59c-1013c2fb06fb','01a20dc3-da9f-7925-82e6-52e1e53a6a2d','','client.activated','Ax4pSBFZpm8TTlg4yt17tfEJ6kZAL8JHJT2gS9TcExE',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527269117,204,'',1,'',1795527269118,1795527269022,1795527269118),
('01a20dc3-dae0-7815-b407-a2e94a2c9d8a','01a20dc3-dae0-77c7-8949-fcf4469e9877','','client.registered','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527269150,204,'',0,'',1795527269150,1795527269088,1795527269150),
('01a20dc3-dae0-7817-8502-8bf9e60f729d','01a20dc3-dae0-77c7-8949-fcf4469e9877','','client.registered','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527269088,1795527358015),
('01a20dc3-dae0-781a-a1c0-e6fd2c488370','01a20dc3-dae0-77c7-8949-fcf4469e9877','','client.registered','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527269150,204,'',0,'',1795527269150,1795527269088,1795527269150),
('01a20dc3-dae0-781b-a195-d9b8f597df0c','01a20dc3-dae0-77c7-8949-fcf4469e9877','','client.registered','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527269150,204,'',1,'',1795527269151,1795527269088,1795527269151),
('01a20dc3-db04-7cf1-b78f-87306d33b5c4','01a20dc3-db04-7ca2-92ec-a9a491269ab2','','client.activated','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527269205,204,'',1,'',1795527269206,1795527269124,1795527269206),
('01a20dc3-db04-7cf4-a5e2-46eed19970a6','01a20dc3-db04-7ca2-92ec-a9a491269ab2','','client.activated','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527269124,1795527358015),
('01a20dc3-db04-7cf5-a793-381852db7433','01a20dc3-db04-7ca2-92ec-a9a491269ab2','','client.activated','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527269206,204,'',0,'',1795527269206,1795527269124,1795527269206),
('01a20dc3-db04-7cf8-8384-271300e90a59','01a20dc3-db04-7ca2-92ec-a9a491269ab2','','client.activated','QDXrc_09TIPORqi2hvqZnzOpemkT-yCAPuWbQleRLIY',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527269206,204,'',0,'',1795527269206,1795527269124,1795527269206),
('01a20dc4-e6e8-7163-a122-74b5679ab50a','01a20dc4-e6e8-7108-abbf-b662c0ca0b3b','','client.registered','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527337770,204,'',15,'',1795527337785,1795527337702,1795527337785),
('01a20dc4-e6e8-7165-a2b6-2c2cccb24d37','01a20dc4-e6e8-7108-abbf-b662c0ca0b3b','','client.registered','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',1,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527337702,1795527358015),
('01a20dc4-e6e8-7166-83b9-4da254c0bc9b','01a20dc4-e6e8-7108-abbf-b662c0ca0b3b','','client.registered','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527337771,204,'',12,'',1795527337783,1795527337702,1795527337783),
('01a20dc4-e6e8-7168-9d8f-45f2e36e1d3d','01a20dc4-e6e8-7108-abbf-b662c0ca0b3b','','client.registered','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527337770,204,'',15,'',1795527337785,1795527337702,1795527337785),
('01a20dc4-e745-7aa9-a72e-191ca97143e8','01a20dc4-e745-7a4b-b86d-ecf9a1668191','','client.activated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527337873,204,'',10,'',1795527337883,1795527337796,1795527337883),
('01a20dc4-e745-7aab-8151-baf8568d5d50','01a20dc4-e745-7a4b-b86d-ecf9a1668191','','client.activated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',2,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527337796,1795527358015),
('01a20dc4-e745-7aad-983c-c7cf16d67355','01a20dc4-e745-7a4b-b86d-ecf9a1668191','','client.activated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527337873,204,'',10,'',1795527337883,1795527337796,1795527337883),
('01a20dc4-e745-7aae-b5d4-9a985cc19f90','01a20dc4-e745-7a4b-b86d-ecf9a1668191','','client.activated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527337873,204,'',10,'',1795527337883,1795527337796,1795527337883),
('01a20dc4-e7c3-7a9a-8516-811c72cd83e0','01a20dc4-e7c3-7a46-90c2-181ab5322948','','client.deactivated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',3,'01a20dc3-cd1c-7a73-a965-4fa072133ee4','slow','http://127.0.0.1:18476/slow','01a20dc3-cd1c-7a73-a965-4fa072133ee4','sending',1,0,1,0,0,'',0,'',0,1795527337922,1795527337922),
('01a20dc4-e7c3-7a9c-9bb2-98cf6ef3724b','01a20dc4-e7c3-7a46-90c2-181ab5322948','','client.deactivated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',3,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,1,1795527358003,204,'',17,'',1795527358020,1795527337922,1795527358020),
('01a20dc4-e7c3-7a9d-89eb-da5d2932c9d6','01a20dc4-e7c3-7a46-90c2-181ab5322948','','client.deactivated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',3,'01a20dc3-cd5a-72c8-ae99-6fe441f15197','busy','http://127.0.0.1:18476/busy','01a20dc3-cd5a-72c8-ae99-6fe441f15197','cancelled',1,0,0,0,0,'',0,'',0,1795527337922,1795527358015),
('01a20dc4-e7c3-7aa0-a246-a41afcd5f903','01a20dc4-e7c3-7a46-90c2-181ab5322948','','client.deactivated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',3,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,1,1795527358003,204,'',25,'',1795527358028,1795527337922,1795527358028),
('01a20dc4-e7c3-7aa3-b087-67d9b2b7372e','01a20dc4-e7c3-7a46-90c2-181ab5322948','','client.deactivated','ZRvvAMhNjCsANnmv5x8leUItRdnImM_7DHQ-tYuQsOs',3,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,1,1795527357998,204,'',26,'',1795527358024,1795527337922,1795527358024),
('01a20dc5-3689-7120-96c8-4c6fbf52252b','01a20dc5-3689-70a1-b980-5f2b79830974','','client.registered','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo',1,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527358228,204,'',3,'',1795527358231,1795527358066,1795527358231),
('01a20dc5-3689-7125-b43d-323302382eb9','01a20dc5-3689-70a1-b980-5f2b79830974','','client.registered','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo',1,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527358308,204,'',3,'',1795527358311,1795527358066,1795527358311),
('01a20dc5-3689-713f-b282-a92fc26165ce','01a20dc5-3689-70a1-b980-5f2b79830974','','client.registered','MwECbyram9HD9XFaGy0_EbSwLoks6X2-JlvW4n0ZtNo',1,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527358308,204,'',10,'',1795527358318,1795527358066,1795527358318),
('01a20dc5-3820-769d-9906-72393f895818','01a20dc5-3820-764b-9a60-bd3c448f1c0c','','client.registered','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng',0,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527358554,204,'',2,'',1795527358556,1795527358495,1795527358556),
('01a20dc5-3820-76a0-8127-4e457f42a487','01a20dc5-3820-764b-9a60-bd3c448f1c0c','','client.registered','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng',0,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527358554,204,'',2,'',1795527358556,1795527358495,1795527358556),
('01a20dc5-3820-76a1-a4e9-ca7868d6770e','01a20dc5-3820-764b-9a60-bd3c448f1c0c','','client.registered','sQOk5xpm_jAOoP2xmeF0AlFxwKwWGKRR5R2Mn-59Yng',0,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527358551,204,'',5,'',1795527358556,1795527358495,1795527358556),
('01a20dc5-3858-7c0a-ac03-3754535e7ea3','01a20dc5-3858-7bb1-a426-75c8a1fd4728','','client.failed','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',2,'01a20dc3-cd4c-742c-8e82-cc222b81665f','ok','http://127.0.0.1:18476/ok','01a20dc3-cd4c-742c-8e82-cc222b81665f','delivered',1,1,0,1795527358653,204,'',0,'',1795527358653,1795527358551,1795527358653),
('01a20dc5-3858-7c0c-894f-9c54af4ead70','01a20dc5-3858-7bb1-a426-75c8a1fd4728','','client.failed','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',2,'01a20dc3-cd69-7074-ab7a-11da25beece4','v1a','http://127.0.0.1:18476/ok','01a20dc3-cd69-7074-ab7a-11da25beece4','delivered',1,1,0,1795527358653,204,'',0,'',1795527358653,1795527358551,1795527358653),
('01a20dc5-3858-7c0f-bfd1-58d44725fe28','01a20dc5-3858-7bb1-a426-75c8a1fd4728','','client.failed','fsOMgZwQG6uafGsdrFYaIi62Z2s4oPjgXXFkU4UX2pc',2,'01a20dc3-cd73-7b22-9a68-f53681ace30d','both','http://127.0.0.1:18476/ok','01a20dc3-cd73-7b22-9a68-f53681ace30d','delivered',1,1,0,1795527358653,204,'',0,'',1795527358653,1795527358551,1795527358653);
CREATE TABLE outbox (
  id                text PRIMARY KEY, -- of the delivery
  concurrency_group text NOT NULL, -- the endpoint: its deliveries share a limit of requests in flight
  next_attempt_ms   integer NOT NULL,
  cycle             integer NOT NULL, -- of the delivery
  lease_token       integer NOT NULL, -- of this cycle
  lease_owner       text NOT NULL, -- the process that sends it; empty for none
  leased_ms         integer NOT NULL -- 0 while there is no lease
);
INSERT INTO outbox (id,concurrency_group,next_attempt_ms,cycle,lease_token,lease_owner,leased_ms) VALUES
('01a20dc4-e7c3-7a9a-8516-811c72cd83e0','01a20dc3-cd1c-7a73-a965-4fa072133ee4',1795527337922,1,2,'01a20dc4-ea8f-719b-9cc8-96d875547325',1795527357979),
('01a20dc3-cf4d-796d-9d27-81055aca081f','01a20dc3-cd1c-7a73-a965-4fa072133ee4',1795527658973,1,2,'',0),
('01a20dc3-cfff-788c-9d23-75eeb6d17cf7','01a20dc3-cd1c-7a73-a965-4fa072133ee4',1795527669226,1,2,'',0);
CREATE TABLE delivery_attempt (
  delivery_id text NOT NULL,
  cycle       integer NOT NULL,
  seq         integer NOT NULL,
  number      integer,
  started_ms  integer NOT NULL,
  finished_ms integer NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'unknown')),
  status_code integer NOT NULL,
  error       text NOT NULL,
  excerpt     text NOT NULL,
  PRIMARY KEY (delivery_id, cycle, seq),
  CONSTRAINT delivery_attempt_number UNIQUE (delivery_id, cycle, number)
);
INSERT INTO delivery_attempt (delivery_id,cycle,seq,number,started_ms,finished_ms,outcome,status_code,error,excerpt) VALUES
('01a20dc3-cdfd-72b5-b643-9a9e1021df04',1,1,1,1795527265855,1795527265857,'failed',503,'status 503',''),
('01a20dc3-cdfd-72b3-a446-5425864ee197',1,1,1,1795527265855,1795527265857,'delivered',204,'',''),
('01a20dc3-cdfd-72b6-a5d4-bafe6caf9293',1,1,1,1795527265855,1795527265857,'delivered',204,'',''),
('01a20dc3-cdfd-72b7-b5aa-f23c95b03a14',1,1,1,1795527265852,1795527265857,'delivered',204,'',''),
('01a20dc3-ce3d-731f-98b6-5769768c9f26',1,1,1,1795527265944,1795527265946,'delivered',204,'',''),
('01a20dc3-ce3d-731c-9293-9ec5aa848399',1,1,1,1795527265944,1795527265946,'delivered',204,'',''),
('01a20dc3-ce3d-731d-a50e-76e7e560ef5a',1,1,1,1795527265944,1795527265946,'failed',503,'status 503',''),
('01a20dc3-ce3d-731e-86d1-31d7c4d030ff',1,1,1,1795527265944,1795527265946,'delivered',204,'',''),
('01a20dc3-ce3d-731a-9811-f340383b9555',1,1,1,1795527265944,1795527265946,'failed',410,'status 410',''),
('01a20dc3-ce80-78ea-9b2c-6d7045b57827',1,1,1,1795527266031,1795527266035,'delivered',204,'',''),
('01a20dc3-ce80-78e3-9871-a38b280b9978',1,1,1,1795527266031,1795527266035,'delivered',204,'',''),
('01a20dc3-ce80-78e9-b846-a2873b43183d',1,1,1,1795527266031,1795527266035,'delivered',204,'',''),
('01a20dc3-ce80-78e6-b428-30ed3188d128',1,1,1,1795527266031,1795527266035,'failed',503,'status 503',''),
('01a20dc3-cebd-7cfe-99f7-70f171c9063e',1,1,1,1795527266145,1795527266150,'delivered',204,'',''),
('01a20dc3-cebd-7cfa-9d9f-4ec7329e92bc',1,1,1,1795527266145,1795527266150,'delivered',204,'',''),
('01a20dc3-cebd-7cfb-95bd-e28f48a4d3c1',1,1,1,1795527266145,1795527266150,'failed',503,'status 503',''),
('01a20dc3-cebd-7cff-a724-dda7b1c75e1e',1,1,1,1795527266146,1795527266150,'delivered',204,'',''),
('01a20dc3-cf4d-797c-b5a7-003cc5552cc0',1,1,1,1795527266189,1795527266192,'delivered',204,'',''),
('01a20dc3-cf4d-797f-854b-0b2452c28fb5',1,1,1,1795527266191,1795527266192,'failed',503,'status 503',''),
('01a20dc3-cf4d-7980-9030-cee0feea1faf',1,1,1,1795527266191,1795527266192,'delivered',204,'',''),
('01a20dc3-cf4d-7981-8b99-1e4408712ca6',1,1,1,1795527266192,1795527266192,'delivered',204,'',''),
('01a20dc3-cf6c-7ec3-8185-8ea1aab30d36',1,1,1,1795527266234,1795527266237,'delivered',204,'',''),
('01a20dc3-cf6c-7ebe-8c95-2c69f29db362',1,1,1,1795527266234,1795527266237,'delivered',204,'',''),
('01a20dc3-cf6c-7ec1-8a9c-95125866206e',1,1,1,1795527266234,1795527266237,'failed',503,'status 503',''),
('01a20dc3-cf6c-7ec4-9f71-ab3ea1c7867e',1,1,1,1795527266235,1795527266237,'delivered',204,'',''),
('01a20dc3-cfad-7f23-be9c-9ad40a29bf89',1,1,1,1795527266334,1795527266345,'delivered',204,'',''),
('01a20dc3-cfad-7f22-94ad-d4fa6d718fc6',1,1,1,1795527266333,1795527266345,'failed',503,'status 503',''),
('01a20dc3-cfad-7f24-a17c-ce8c7864aa86',1,1,1,1795527266333,1795527266346,'delivered',204,'',''),
('01a20dc3-cfad-7f20-9ed2-d6c142052aa1',1,1,1,1795527266334,1795527266346,'delivered',204,'',''),
('01a20dc3-cfff-7890-a175-29da787add52',1,1,1,1795527266431,1795527266434,'delivered',204,'',''),
('01a20dc3-cfff-788e-8a4b-178bc0e2f921',1,1,1,1795527266431,1795527266434,'delivered',204,'',''),
('01a20dc3-cfff-7891-bc12-744b5944ff7a',1,1,1,1795527266431,1795527266434,'delivered',204,'',''),
('01a20dc3-d075-746a-ad8b-fcf414446c18',1,1,1,1795527266503,1795527266505,'delivered',204,'',''),
('01a20dc3-d075-7465-a682-73782afcd127',1,1,1,1795527266503,1795527266505,'delivered',204,'',''),
('01a20dc3-d075-7469-a445-02b680e50a9f',1,1,1,1795527266503,1795527266505,'delivered',204,'',''),
('01a20dc3-d083-7e9e-934d-aeb633dd1961',1,1,1,1795527266504,1795527266505,'delivered',204,'',''),
('01a20dc3-d083-7e9b-ac22-54c792bf03b3',1,1,1,1795527266503,1795527266505,'delivered',204,'',''),
('01a20dc3-d083-7e9f-9b85-24146c424a14',1,1,1,1795527266504,1795527266505,'delivered',204,'',''),
('01a20dc3-d0de-7153-958c-e8b4065a7e19',1,1,1,1795527266628,1795527266629,'delivered',204,'',''),
('01a20dc3-d0de-714f-8e4a-9b1debba582b',1,1,1,1795527266628,1795527266629,'delivered',204,'',''),
('01a20dc3-d0de-7154-a2c4-67f1a9bd9a4d',1,1,1,1795527266628,1795527266629,'delivered',204,'',''),
('01a20dc3-d127-7e40-b771-da729e25931f',1,1,1,1795527266670,1795527266671,'delivered',204,'',''),
('01a20dc3-d127-7e3c-9f8f-5fcc97a99d76',1,1,1,1795527266670,1795527266671,'delivered',204,'',''),
('01a20dc3-d127-7e41-944c-c473f5b81eba',1,1,1,1795527266670,1795527266671,'delivered',204,'',''),
('01a20dc3-d160-79a5-b765-a2da8513fb84',1,1,1,1795527266733,1795527266735,'delivered',204,'',''),
('01a20dc3-d160-79a2-93b9-8dde0137f65a',1,1,1,1795527266733,1795527266735,'delivered',204,'',''),
('01a20dc3-d160-79a6-999f-097bfc349498',1,1,1,1795527266733,1795527266735,'delivered',204,'',''),
('01a20dc3-d191-79e7-a0e9-721cf94529f3',1,1,1,1795527266732,1795527266733,'delivered',204,'',''),
('01a20dc3-d191-79e3-afc9-cac58cd813c1',1,1,1,1795527266732,1795527266733,'delivered',204,'',''),
('01a20dc3-d191-79e6-8ae8-6bbd6f2fdd5d',1,1,1,1795527266732,1795527266733,'delivered',204,'',''),
('01a20dc3-d1b1-7c4c-a918-bbc3f1a1013b',1,1,1,1795527266829,1795527266832,'delivered',204,'',''),
('01a20dc3-d1b1-7c49-b8dc-5a77566b3f32',1,1,1,1795527266828,1795527266832,'delivered',204,'',''),
('01a20dc3-d1b1-7c4d-ab21-d70c81a43c1e',1,1,1,1795527266829,1795527266832,'delivered',204,'',''),
('01a20dc3-d1ea-7d9b-97b3-f859740a1faa',1,1,1,1795527266829,1795527266830,'delivered',204,'',''),
('01a20dc3-d1ea-7d98-be78-37e55f0127ec',1,1,1,1795527266829,1795527266830,'delivered',204,'',''),
('01a20dc3-d1ea-7d9c-889a-93db4b25ed3a',1,1,1,1795527266829,1795527266830,'delivered',204,'',''),
('01a20dc3-d340-7731-818f-8cc655a276ad',1,1,1,1795527267210,1795527267223,'delivered',204,'',''),
('01a20dc3-d340-7717-86f4-98fe735a5352',1,1,1,1795527267219,1795527267227,'delivered',204,'',''),
('01a20dc3-d340-7730-94c1-cb692365ac79',1,1,1,1795527267219,1795527267227,'delivered',204,'',''),
('01a20dc3-d38a-781e-9122-b8fe72edd36f',1,1,1,1795527267268,1795527267269,'delivered',204,'',''),
('01a20dc3-d38a-7808-b857-158fe404bbd9',1,1,1,1795527267268,1795527267269,'delivered',204,'',''),
('01a20dc3-d38a-7820-b534-afe1dbbbb1e4',1,1,1,1795527267268,1795527267269,'delivered',204,'',''),
('01a20dc3-d3ff-7404-9287-8d42fa606459',1,1,1,1795527267364,1795527267367,'delivered',204,'',''),
('01a20dc3-d3ff-73fd-80e7-a405518d86e2',1,1,1,1795527267367,1795527267367,'delivered',204,'',''),
('01a20dc3-d3ff-7402-a794-7d09f3798423',1,1,1,1795527267367,1795527267367,'delivered',204,'',''),
('01a20dc3-d424-7851-8287-9f6db19eaf27',1,1,1,1795527267422,1795527267422,'delivered',204,'',''),
('01a20dc3-d424-7852-a317-f65a8575189b',1,1,1,1795527267422,1795527267422,'delivered',204,'',''),
('01a20dc3-d424-784c-b55c-212e14cbd0da',1,1,1,1795527267421,1795527267422,'delivered',204,'',''),
('01a20dc3-d485-7725-b973-cd9978ec1a23',1,1,1,1795527267503,1795527267523,'delivered',204,'',''),
('01a20dc3-d485-7724-8d05-595a5fd2e08c',1,1,1,1795527267503,1795527267523,'delivered',204,'',''),
('01a20dc3-d490-7713-a30a-cac854a23ea2',1,1,1,1795527267503,1795527267523,'delivered',204,'',''),
('01a20dc3-d490-7715-bd09-c81f7f010e8b',1,1,1,1795527267504,1795527267523,'delivered',204,'',''),
('01a20dc3-d485-7721-b60e-8289ca63b10e',1,1,1,1795527267503,1795527267526,'delivered',204,'',''),
('01a20dc3-d490-770f-87ed-0287e2736865',1,1,1,1795527267504,1795527267526,'delivered',204,'',''),
('01a20dc3-d4b8-7b94-8634-d3ed3d21d0dd',1,1,1,1795527267560,1795527267566,'delivered',204,'',''),
('01a20dc3-d4b8-7b90-bc90-1c168ab6037b',1,1,1,1795527267560,1795527267566,'delivered',204,'',''),
('01a20dc3-d4b8-7b95-9eb4-5ace14886bd5',1,1,1,1795527267560,1795527267567,'delivered',204,'',''),
('01a20dc3-d5e7-77db-a090-8974a88a058e',1,1,1,1795527267858,1795527267886,'delivered',204,'',''),
('01a20dc3-d5e7-77d9-aede-434c3d36646b',1,1,1,1795527267883,1795527267887,'delivered',204,'',''),
('01a20dc3-d5e7-77d5-9627-d0d2be6dcc5c',1,1,1,1795527267883,1795527267887,'delivered',204,'',''),
('01a20dc3-d699-7942-9b24-398ba8c35364',1,1,1,1795527268072,1795527268081,'delivered',204,'',''),
('01a20dc3-d699-793c-bf12-46df905e4734',1,1,1,1795527268080,1795527268089,'delivered',204,'',''),
('01a20dc3-d699-7940-a7f8-f17489e0913b',1,1,1,1795527268081,1795527268089,'delivered',204,'',''),
('01a20dc3-d786-7de7-a550-67193b93b3f1',1,1,1,1795527268400,1795527268403,'delivered',204,'',''),
('01a20dc3-d786-7de8-ac41-1f8476038e5d',1,1,1,1795527268399,1795527268412,'delivered',204,'',''),
('01a20dc3-d786-7de3-aa4e-9ee62b455e22',1,1,1,1795527268400,1795527268413,'delivered',204,'',''),
('01a20dc3-d804-70fd-a61c-3dd559271d14',1,1,1,1795527268479,1795527268480,'delivered',204,'',''),
('01a20dc3-d804-70f9-8587-832d632e8795',1,1,1,1795527268479,1795527268480,'delivered',204,'',''),
('01a20dc3-d804-70fe-8c34-bbf1e8a60f21',1,1,1,1795527268479,1795527268480,'delivered',204,'',''),
('01a20dc3-d874-766f-94b5-4e2bc252b731',1,1,1,1795527268544,1795527268550,'delivered',204,'',''),
('01a20dc3-d874-766b-a110-8f9f39b24767',1,1,1,1795527268544,1795527268550,'delivered',204,'',''),
('01a20dc3-d874-766e-8d4b-a3b52dc999e1',1,1,1,1795527268544,1795527268550,'delivered',204,'',''),
('01a20dc3-d8c0-7369-9552-608f9a60bd49',1,1,1,1795527268671,1795527268677,'delivered',204,'',''),
('01a20dc3-d8c0-7364-b1f0-61c26430c6d9',1,1,1,1795527268671,1795527268677,'delivered',204,'',''),
('01a20dc3-d8c0-7368-9002-c28e7a9834ce',1,1,1,1795527268671,1795527268677,'delivered',204,'',''),
('01a20dc3-d9c4-7c3d-98fd-813cac0e8fd4',1,1,1,1795527268882,1795527268885,'delivered',204,'',''),
('01a20dc3-d9c4-7c43-8dab-275e90a910de',1,1,1,1795527268878,1795527268885,'delivered',204,'',''),
('01a20dc3-d9c4-7c40-ba66-4b3836c0f697',1,1,1,1795527268882,1795527268885,'delivered',204,'',''),
('01a20dc3-da08-7890-9d34-dc33cd6da102',1,1,1,1795527268986,1795527268987,'delivered',204,'',''),
('01a20dc3-da08-788a-9f45-fc7156f2dd26',1,1,1,1795527268986,1795527268987,'delivered',204,'','');
INSERT INTO delivery_attempt (delivery_id,cycle,seq,number,started_ms,finished_ms,outcome,status_code,error,excerpt) VALUES
('01a20dc3-da08-7891-b727-292990f76f3c',1,1,1,1795527268986,1795527268987,'delivered',204,'',''),
('01a20dc3-da57-7a29-aaf6-b97e702b715f',1,1,1,1795527269086,1795527269086,'delivered',204,'',''),
('01a20dc3-da57-7a28-9599-27e47f1fc722',1,1,1,1795527269085,1795527269086,'delivered',204,'',''),
('01a20dc3-da57-7a24-97b4-c72cb584865d',1,1,1,1795527269086,1795527269086,'delivered',204,'',''),
('01a20dc3-da9f-7976-9891-a6df9f536ebb',1,1,1,1795527269117,1795527269118,'delivered',204,'',''),
('01a20dc3-da9f-7973-91b4-d0d72b4b15a0',1,1,1,1795527269117,1795527269118,'delivered',204,'',''),
('01a20dc3-da9f-7979-a59c-1013c2fb06fb',1,1,1,1795527269117,1795527269118,'delivered',204,'',''),
('01a20dc3-dae0-781a-a1c0-e6fd2c488370',1,1,1,1795527269150,1795527269150,'delivered',204,'',''),
('01a20dc3-dae0-7815-b407-a2e94a2c9d8a',1,1,1,1795527269150,1795527269150,'delivered',204,'',''),
('01a20dc3-dae0-781b-a195-d9b8f597df0c',1,1,1,1795527269150,1795527269151,'delivered',204,'',''),
('01a20dc3-db04-7cf5-a793-381852db7433',1,1,1,1795527269206,1795527269206,'delivered',204,'',''),
('01a20dc3-db04-7cf1-b78f-87306d33b5c4',1,1,1,1795527269205,1795527269206,'delivered',204,'',''),
('01a20dc3-db04-7cf8-8384-271300e90a59',1,1,1,1795527269206,1795527269206,'delivered',204,'',''),
('01a20dc3-cf4d-796d-9d27-81055aca081f',1,1,1,1795527266234,1795527276238,'failed',0,'timeout',''),
('01a20dc3-cfff-788c-9d23-75eeb6d17cf7',1,1,1,1795527266431,1795527276434,'failed',0,'timeout',''),
('01a20dc3-cfff-788f-a95a-c6c039fb1e7c',1,1,1,1795527296490,1795527296493,'failed',503,'status 503',''),
('01a20dc4-e6e8-7166-83b9-4da254c0bc9b',1,1,1,1795527337771,1795527337783,'delivered',204,'',''),
('01a20dc4-e6e8-7163-a122-74b5679ab50a',1,1,1,1795527337770,1795527337785,'delivered',204,'',''),
('01a20dc4-e6e8-7168-9d8f-45f2e36e1d3d',1,1,1,1795527337770,1795527337785,'delivered',204,'',''),
('01a20dc4-e745-7aa9-a72e-191ca97143e8',1,1,1,1795527337873,1795527337883,'delivered',204,'',''),
('01a20dc4-e745-7aad-983c-c7cf16d67355',1,1,1,1795527337873,1795527337883,'delivered',204,'',''),
('01a20dc4-e745-7aae-b5d4-9a985cc19f90',1,1,1,1795527337873,1795527337883,'delivered',204,'',''),
('01a20dc3-cf4d-796d-9d27-81055aca081f',1,2,2,1795527338914,1795527348916,'failed',0,'timeout',''),
('01a20dc3-cfff-788c-9d23-75eeb6d17cf7',1,2,2,1795527341396,1795527351400,'failed',0,'timeout',''),
('01a20dc3-d075-7467-891f-8d9fb1769226',1,1,1,1795527356936,1795527356938,'failed',503,'status 503',''),
('01a20dc4-e7c3-7a9a-8516-811c72cd83e0',1,1,NULL,1795527337936,1795527357979,'unknown',0,'the worker stopped before it saved a result',''),
('01a20dc4-e7c3-7a9c-9bb2-98cf6ef3724b',1,1,NULL,1795527337936,1795527357979,'unknown',0,'the worker stopped before it saved a result',''),
('01a20dc4-e7c3-7aa0-a246-a41afcd5f903',1,1,NULL,1795527337936,1795527357979,'unknown',0,'the worker stopped before it saved a result',''),
('01a20dc4-e7c3-7aa3-b087-67d9b2b7372e',1,1,NULL,1795527337936,1795527357979,'unknown',0,'the worker stopped before it saved a result',''),
('01a20dc4-e7c3-7a9c-9bb2-98cf6ef3724b',1,2,1,1795527358003,1795527358020,'delivered',204,'',''),
('01a20dc4-e7c3-7aa3-b087-67d9b2b7372e',1,2,1,1795527357998,1795527358024,'delivered',204,'',''),
('01a20dc4-e7c3-7aa0-a246-a41afcd5f903',1,2,1,1795527358003,1795527358028,'delivered',204,'',''),
('01a20dc5-3689-7125-b43d-323302382eb9',1,1,1,1795527358308,1795527358311,'delivered',204,'',''),
('01a20dc5-3689-7120-96c8-4c6fbf52252b',1,1,1,1795527358228,1795527358231,'delivered',204,'',''),
('01a20dc5-3689-713f-b282-a92fc26165ce',1,1,1,1795527358308,1795527358318,'delivered',204,'',''),
('01a20dc5-3820-76a0-8127-4e457f42a487',1,1,1,1795527358554,1795527358556,'delivered',204,'',''),
('01a20dc5-3820-76a1-a4e9-ca7868d6770e',1,1,1,1795527358551,1795527358556,'delivered',204,'',''),
('01a20dc5-3820-769d-9906-72393f895818',1,1,1,1795527358554,1795527358556,'delivered',204,'',''),
('01a20dc5-3858-7c0c-894f-9c54af4ead70',1,1,1,1795527358653,1795527358653,'delivered',204,'',''),
('01a20dc5-3858-7c0a-ac03-3754535e7ea3',1,1,1,1795527358653,1795527358653,'delivered',204,'',''),
('01a20dc5-3858-7c0f-bfd1-58d44725fe28',1,1,1,1795527358653,1795527358653,'delivered',204,'','');
CREATE TABLE service_key (
  name text PRIMARY KEY,
  key  text NOT NULL -- base64
);
INSERT INTO service_key (name,key) VALUES
('cursor','YDS/6d/xyLwN8CgajhwVphnYz25wgvy9ffN5tyhFoKQ=');
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  started_ms integer NOT NULL,
  seen_ms    integer NOT NULL
);
INSERT INTO process (id,host,version,started_ms,seen_ms) VALUES
('01a20dc3-cc70-7ac2-aece-eeefd15b0064','vm','dev',1795527265392,1795527337452),
('01a20dc4-ea8f-719b-9cc8-96d875547325','vm','dev',1795527338639,1795527358339);
CREATE TABLE write_probe (
  id     text PRIMARY KEY,
  filler text NOT NULL
);
CREATE INDEX client_by_creation ON client (created_ms, id);
CREATE INDEX client_by_partner ON client (partner_id, created_ms, id);
CREATE INDEX client_outcome_unknown ON client (id) WHERE outcome_unknown;
CREATE INDEX client_key_of_client ON client_key (client_id);
CREATE INDEX registration_token_of_client ON registration_token (client_id);
CREATE INDEX approval_due ON approval (due_ms) WHERE state IN ('asking', 'waiting', 'withdrawing');
CREATE INDEX approval_request ON approval (request_id) WHERE request_id <> '';
CREATE INDEX idp_call_due ON idp_call (due_ms);
CREATE INDEX client_event_of_client ON client_event (client_id, seq);
CREATE INDEX client_event_refused ON client_event (client_id, reason, at_ms) WHERE type = 'refused';
CREATE INDEX client_event_purged ON client_event (purged_last_seq) WHERE type = 'purged';
CREATE INDEX catalog_event_of_partner ON catalog_event (partner_id, seq);
CREATE INDEX catalog_event_of_policy ON catalog_event (policy_id, seq);
CREATE INDEX delivery_created ON delivery (created_ms, id);
CREATE INDEX delivery_endpoint ON delivery (endpoint, created_ms, id);
CREATE INDEX delivery_client ON delivery (client_id, created_ms, id);
CREATE INDEX delivery_rare_status ON delivery (rare_status, created_ms, id) WHERE rare_status IS NOT NULL;
CREATE INDEX outbox_due ON outbox (concurrency_group, next_attempt_ms, id);
CREATE TRIGGER client_event_no_update BEFORE UPDATE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is insert only'); END;
CREATE TRIGGER client_event_no_delete BEFORE DELETE ON client_event
WHEN OLD.type = 'purged'
  OR OLD.seq > coalesce((SELECT max(t.purged_last_seq) FROM client_event t WHERE t.type = 'purged'), 0)
  OR OLD.type <> 'refused' AND EXISTS (SELECT 1 FROM client c WHERE c.id = OLD.client_id)
BEGIN SELECT RAISE(ABORT, 'client_event is insert only, but for a purge'); END;
CREATE TRIGGER catalog_event_no_update BEFORE UPDATE ON catalog_event
BEGIN SELECT RAISE(ABORT, 'catalog_event is insert only'); END;
CREATE TRIGGER catalog_event_no_delete BEFORE DELETE ON catalog_event
BEGIN SELECT RAISE(ABORT, 'catalog_event is insert only'); END;
