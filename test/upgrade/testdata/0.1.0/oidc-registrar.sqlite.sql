CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version (id,version_id,is_applied,tstamp) VALUES
(1,0,1,'2026-11-24 13:43:25'),
(2,1,1,'2026-11-24 13:43:25');
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
('x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','partner','ok','bank','free','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','{"crv":"P-256","kid":"x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4","kty":"EC","x":"UZy4CmPJrb6Bwxq__VXCfXDiLZN84k_sgwkm4JDI7kM","y":"K3mvsgTgHwVBuztYOJnFBMGOGadMwafF7nzGfWVxbts"}','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-Y6LW2SQBYJUE5LPXMXQYI4PHTK',0,'','','','vera',1795527806344,1795527806397,2),
('MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','partner','ok','bank','free','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','{"crv":"P-256","kid":"MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk","kty":"EC","x":"IAxG9y6FyfJ9pJgDizLm86ZDYWpFY1Oql6zJ69gHr8M","y":"_bFByAJgAbdPdCYA-GrYKvjMStN-J8OfLBcV_YUv91g"}','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW',0,'','','','vera',1795527806482,1795527806658,3),
('MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','partner','ok','bank','free','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','{"crv":"P-256","kid":"MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI","kty":"EC","x":"Gso_ECoscG_Y6fDXLs0lJT4R1bPgns4jZxhOr25FfRw","y":"cI25JwwS5SF2TO2JHCOrxST4o9cmvbrmbjgXApSPUNU"}','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC',0,'','','','vera',1795527806738,1795527806836,3),
('r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','partner','ok','bank','free','E1zNotQZKjQih5azB-RwYtYgm5Pib4Yp130QVD8GcgY','{"crv":"P-256","kid":"E1zNotQZKjQih5azB-RwYtYgm5Pib4Yp130QVD8GcgY","kty":"EC","x":"88GAjQNQY4H2lg9df1DjrBMEiN5rx2eOcKR-HRDRloo","y":"gcUzdnXpWdtjzQtjBYUUD7E4KAhd9EgIcJB7LO9b_3k"}','E1zNotQZKjQih5azB-RwYtYgm5Pib4Yp130QVD8GcgY','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','{"crv":"P-256","kid":"r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs","kty":"EC","x":"WQGZwVS_Rn1fO3_IsPX101B-PLmvgUUg0RxK5igUOUY","y":"tVfhIUnFBn-sY9z4X-y5AsgYClVjyGTOrcYt6KumUj8"}','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-VCUJKJDJO47LGV6NKVHE66Z32K',0,'','','','vera',1795527806956,1795527807109,3),
('of-the-provider','provider','ok','bank','','fZ_edEJhIZ_Zyn4gU2MGme6_vJbARAjbzMSIeopyGac','{"crv":"P-256","kid":"fZ_edEJhIZ_Zyn4gU2MGme6_vJbARAjbzMSIeopyGac","kty":"EC","x":"3AQs1kTFQ6NtOsvLTf070iXwvuUO6bZSvvHNUciKrqg","y":"SizDNNEL_vjAJlH6Z3xcjfPpAYemoVwycsjI4DjaErU"}','fZ_edEJhIZ_Zyn4gU2MGme6_vJbARAjbzMSIeopyGac','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-TKTKWQ7LYH45WRO75OOVQ6PZ3L',0,'','','','vera',1795527807222,1795527807283,2),
('SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','partner','down','bank','free','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','{"crv":"P-256","kid":"SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8","kty":"EC","x":"qw7A1XLXKVa6MR-Gbb7Qexbcg1rnyQCUxOYuqVFhI1Q","y":"0Q4Y5e-ODPprytkMDRUzPyztJXLE1CxuLw_kp-Imwj4"}','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527807344,1795527807344,1),
('QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','partner','ok','bank','free','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','{"crv":"P-256","kid":"QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8","kty":"EC","x":"RCU6z6aQtRaT4VRp8gKdG7Zu2CBfqBJzBUjREM6OwdQ","y":"XxWGuHDwYbDBTybHVN8cJpo3OlwdKBmPxcsbOpY4d7E"}','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-5KFWOT5V3ZQNQJJEEYICKJH5QE',0,'','','','vera',1795527807693,1795527807775,2),
('jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','partner','ok','bank','free','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','{"crv":"P-256","kid":"jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo","kty":"EC","x":"BFzXYNuAmgzN8F7q8zaqsMbMYq2WEChJ6R8lfNVfWbg","y":"Mu7WsicX_vGseACR6fKg23BCZoybDdhb20d8JCI7p5g"}','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-CWJ43CGFIDLF77KH6FE6M7CY2R',1,'','','','vera',1795527807890,1795527808023,3),
('PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','partner','ok','bank','free','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','{"crv":"P-256","kid":"PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g","kty":"EC","x":"uYkbUaVT-S3Zr4pKDVXNF7hp4gZFFoKABvNMj2Ia1Vg","y":"bO-SqapOVgYxz54Cneh9GmwIGa2QsHJ__3JXfFl25cI"}','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-5IQS55JSXHKMEPXRN6QIGAIKR2',0,'','','','initial access token:2a59c441c89bfbea',1795527808088,1795527808117,2),
('lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','partner','ok','bank','reviewed','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','{"crv":"P-256","kid":"lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8","kty":"EC","x":"PGB4JIWJKPNzfJVtJzytZmZ5AEyG8GQXotWHl6fPj2c","y":"nb4T-KqkSaLWNjeXeUuEsGbkG0tiRM60moYosNYG8kA"}','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-YBYMETMAZOM3BZRED33Q2RHGNI',0,'','','','vera',1795527808180,1795527808623,2),
('c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','partner','ok','bank','reviewed','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','{"crv":"P-256","kid":"c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk","kty":"EC","x":"nzAWwcu5-UkRxb_j8J8E7ZN7RNxEiYXK1YajN161ZNg","y":"6rLjWKdk_xahKRj47aK6eUgrZ-oKt6vBkmqRmI4jeXs"}','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','FAILED',0,'',0,'not_approved','','not approved: The decision of fay','vera',1795527808422,1795527808756,2),
('Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','partner','ok','bank','free','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','{"crv":"P-256","kid":"Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A","kty":"EC","x":"K8Ac5ZPlDAvLDu5X4kdcaC50jVZaEVy3OAf6GCyKbRQ","y":"Ref-i9JrAiV8gnYZQC4YXhU0MBqat38BkUT9rijaVeU"}','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-JOJG7QSKLB4IT3LYPVTUA2GKNR',0,'','','','vera',1795527809087,1795527809128,2),
('AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','partner','ok','bank','free','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','{"crv":"P-256","kid":"AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q","kty":"EC","x":"6-0et1orsvt9Twxrz0Z8vvqXlmpAkh7mcMje8B2F5D4","y":"XCQ4IsHS4du1p7heRNhqoqvEyZTKQa5_N-R77QtIWIQ"}','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-T5Q4IL4FAKQBZPSEIZY6N5IVL7',0,'','','','vera',1795527809187,1795527809259,2),
('d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','partner','ok','bank','free','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','{"crv":"P-256","kid":"d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ","kty":"EC","x":"3ZnDtFd6LVmYIALyuwYZRiri94jzoFjZSv8NLf2CcS4","y":"DBdUB3BiXtA2Q9tvVoXVZ-pWbgPDJHGcOOrnJUrdvI4"}','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','ACTIVE',0,'assigned-R4RQ57EJ2TBFLSWTILHSBEBXGQ',0,'','','','vera',1795527809304,1795527809346,2),
('AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','partner','ok','bank','free','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','{"crv":"P-256","kid":"AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU","kty":"EC","x":"SuVEHL5bQv3Z9qxzKjr_19HJHG8zLmBArJ39td9Y8PM","y":"dWa_fK14UrHraE6Bi1dKUl4w8bO_JALdsfnf0-Efz0s"}','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','INACTIVE',0,'assigned-SBXHU72LTOGFKEBQ4JSW55FQRL',0,'','','','vera',1795527892448,1795527892636,3),
('rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','partner','down','bank','free','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','{"crv":"P-256","kid":"rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg","kty":"EC","x":"vIOjlFd5vOgK3I8Ak1l1xd4xPI3FjAjQ7i3dO-02GJw","y":"fMuIeyHmGmtX-IS5uOoPG3Zc2yXuiPQ3z-GYjrTUnCE"}','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527913330,1795527913330,1),
('8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','partner','ok','bank','reviewed','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','{"crv":"P-256","kid":"8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs","kty":"EC","x":"UgOSj6__6qafr9Q6lPXuEnay3vmnHhLK7wUgoct_4Ic","y":"myesXKgRj-CPav7G7wfqhQ3w5v63LEvbo9GAp9DYHGo"}','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','','','','["name"]','["mosip:idp:acr:generated-code"]','https://client.example.org/logo.png','["https://client.example.org/callback"]','["authorization_code"]','["private_key_jwt"]','{}','PENDING',0,'',0,'','','','vera',1795527913775,1795527913775,1);
CREATE TABLE client_key (
  thumbprint text PRIMARY KEY,
  client_id  text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO client_key (thumbprint,client_id) VALUES
('x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4'),
('MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk'),
('MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI'),
('r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs'),
('E1zNotQZKjQih5azB-RwYtYgm5Pib4Yp130QVD8GcgY','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs'),
('fZ_edEJhIZ_Zyn4gU2MGme6_vJbARAjbzMSIeopyGac','of-the-provider'),
('SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8'),
('QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8'),
('jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo'),
('PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g'),
('lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8'),
('c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk'),
('Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A'),
('AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q'),
('d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ'),
('AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU'),
('rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg'),
('8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs');
CREATE TABLE initial_token (
  hash       text PRIMARY KEY,
  partner_id text NOT NULL,
  policy_id  text NOT NULL,
  uses       bigint NOT NULL CHECK (uses >= 0),
  expires_ms bigint NOT NULL,
  issued_by  text NOT NULL
);
INSERT INTO initial_token (hash,partner_id,policy_id,uses,expires_ms,issued_by) VALUES
('19889573893308fb01f0f9ab7ded6a6d47660781001fbc235796df5c87b725bf','bank','free',2,1795614208044,'ada'),
('2a59c441c89bfbeaecf7cb8e1222773aa7407485d680de99d1157042bd039549','bank','free',4,1795614208065,'ada');
CREATE TABLE registration_token (
  hash      text PRIMARY KEY,
  client_id text NOT NULL REFERENCES client (id) ON DELETE CASCADE
);
INSERT INTO registration_token (hash,client_id) VALUES
('13eaed387e66b3fac1c083bd75b2e5e9f605716c40183c3ab3cf8f123e77fcb7','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g');
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
('lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',1,'granted','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dcc-14f6-7493-ab24-5eb85cadaf51','sha256:f2c0051e48c14a4f7fe953d5e4eaa64b90f272ea39c6ecfa6d00afc5c2318005','',1795527808180,1795527868509,2),
('c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',1,'denied','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dcc-15fe-777a-8467-3680ef245b8c','sha256:c32a1f13d0a0f647450ac49aa549501498427ca1f76fa66225b0c500ba234161','The decision of fay',1795527808422,1795527868703,2),
('eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',1,'withdrawn','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dcc-16cf-73a9-ac22-90cdac314b82','sha256:733fdfa2c57232140f563c40dbb611b8baf641791d60950fdab40839487dcb54','',1795527808688,1795527868933,2),
('_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',1,'withdrawing','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','01a20dcc-17dd-7a10-adae-b612991772ff','sha256:63701a72bf01efb72b5506cf85d388f4d5404557f7735241026f9065ce2de580','',1795527808881,1795527913999,1),
('lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',2,'waiting','update','{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','oidc-client','vera','Change the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"userClaims":["name"]}','01a20dcc-1841-7e37-a164-85a0f211a09f','sha256:917a769aa7c848f6e7fb89b1dd83601d5800a63a39d14cdbee8b5da7939efba2','',1795527809048,1795528109158,1),
('8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs',1,'asking','register','{}','oidc-client','vera','Register the client ok','{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}','','','',1795527913775,1795527973848,1);
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
('SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','remove','{}','vera',2,1795528169824,'',1,0,''),
('QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','update','{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',2,1795528169551,'',0,0,''),
('jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','update','{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}','vera',0,1795531487437,'',1,0,''),
('c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','register','{}','vera',0,253370764800000,'',0,0,''),
('rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','register','{}','vera',1,1795527973735,'',1,0,''),
('8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','register','{}','vera',0,253370764800000,'',0,0,''),
('AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','read','{}','system:import',1,1795527975863,'RILGNTVGUXUPC2DFOEJZRI5LR6',1,0,'');
CREATE TABLE provider_record (
  client_id          text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  provider_client_id text NOT NULL,
  uri                text NOT NULL,
  access_token       text NOT NULL
);
INSERT INTO provider_record (client_id,provider_client_id,uri,access_token) VALUES
('x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','assigned-Y6LW2SQBYJUE5LPXMXQYI4PHTK','http://127.0.0.1:18476/register/assigned-Y6LW2SQBYJUE5LPXMXQYI4PHTK','dump:l9e37OSSwcIpOlhZ4LNycoC01opOlV9yT83swIoa8IGiTTXSUGbjlToiIUgGbdiKDzZYxXnto05YIXdhCEkaHeeukGbf'),
('MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW','http://127.0.0.1:18476/register/assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW','dump:M-UMqrLMXcJpjPVBqwKcPdBk26P2MB6NQTfXnUgRgVYxrr_lEqkiMfag9FHWr4xHRpsdI9zmOnKjitYherV6CQmQm6yY'),
('MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC','http://127.0.0.1:18476/register/assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC','dump:vvhujKqA6PaamKbaDN-KWrV0XiC2HLiWkVbOcEfWWSXnqiY8Nv9Qg6Jdwfd4iPCBdElo6v9lUVdt_9IJtNE--M1IdJUp'),
('r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','assigned-VCUJKJDJO47LGV6NKVHE66Z32K','http://127.0.0.1:18476/register/assigned-VCUJKJDJO47LGV6NKVHE66Z32K','dump:PwF2k5pjknUi7UcFLT5FUbNX4syzurYBxbZ38CG6mSH2NEDR9Z3Mk6NpbyF7HtXlVq9DxbO-Ypc8aXjSQFlG6JcmYQbc'),
('of-the-provider','assigned-TKTKWQ7LYH45WRO75OOVQ6PZ3L','http://127.0.0.1:18476/register/assigned-TKTKWQ7LYH45WRO75OOVQ6PZ3L','dump:wdj8-rJ7-gpREJaE1RCFNCVgcYCvQSD-G4PLvSuBDEQv11mIDTKqweWTKBR97t_Y_lWaX920ptzyg3GeggoRFxBPKKFx'),
('QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','assigned-5KFWOT5V3ZQNQJJEEYICKJH5QE','http://127.0.0.1:18476/register/assigned-5KFWOT5V3ZQNQJJEEYICKJH5QE','dump:Cqj1mE7aR0gFzeUM-wVUUAoZP0VR5gJ6NpbnP4jTcJJIKTwHo9prtmPVmcgRwRwCGl_LtsQ792oOXuN24gNH6B4BgdUg'),
('jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','assigned-CWJ43CGFIDLF77KH6FE6M7CY2R','http://127.0.0.1:18476/register/assigned-CWJ43CGFIDLF77KH6FE6M7CY2R','dump:N8nI1qbnkUUtocQ5Uz7picdagvEKsKUTdGOQ4M9yIB1j0EkmGCNZ1i9GWq2WFUkrD-veJfOMlNrSHnpJGvt0XmZ3tbjq'),
('PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','assigned-5IQS55JSXHKMEPXRN6QIGAIKR2','http://127.0.0.1:18476/register/assigned-5IQS55JSXHKMEPXRN6QIGAIKR2','dump:gKVEz4R4IZ5o8GrpjvxdqyIjNvqJBnpJYRyPixxf4g4KON4ofwqWVYWZS4jGOxaXYllUsGeLJJJTRNyLkLhWZ2dFPV-5'),
('lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','assigned-YBYMETMAZOM3BZRED33Q2RHGNI','http://127.0.0.1:18476/register/assigned-YBYMETMAZOM3BZRED33Q2RHGNI','dump:FqTA--HcYXRCJ_HAYaZjalqgra1slyldEvDZx6YMklLlQfNQxLD_Plgj71KVria7otYuJlswq63i8SXJniLZgBY4l-nX'),
('Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','assigned-JOJG7QSKLB4IT3LYPVTUA2GKNR','http://127.0.0.1:18476/register/assigned-JOJG7QSKLB4IT3LYPVTUA2GKNR','dump:nDEVPqF2dlBtKngUpFCkihMk8o7TDzQNMpQpthJinkQ5XTTQWFf345ZYAmeSaDZSa3tjC2qT9LKWmfyzYGQvtYRCJG6t'),
('AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','assigned-T5Q4IL4FAKQBZPSEIZY6N5IVL7','http://127.0.0.1:18476/register/assigned-T5Q4IL4FAKQBZPSEIZY6N5IVL7','dump:iu6gIjhpr5GsB2tkLCogTg-dDCWBpaZHGy3RORF00HQqf_ao3o3Hwz71g9l9QBjBtdkl78XCntlZFj7ZDdmm-Zd9so3X'),
('d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','assigned-R4RQ57EJ2TBFLSWTILHSBEBXGQ','http://127.0.0.1:18476/register/assigned-R4RQ57EJ2TBFLSWTILHSBEBXGQ','dump:mjk2pGt-qs_1uA1hqzZSSW3D6bcnZSQaGXjM9W5LF8Jp1sp6EiwWuCOc7YyYkC5GMcVVMLNjWTYY9DWijVYlVsOsE_Mb'),
('AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','assigned-SBXHU72LTOGFKEBQ4JSW55FQRL','http://127.0.0.1:18476/register/assigned-SBXHU72LTOGFKEBQ4JSW55FQRL','dump:Vxc1jTjfXxV5ZZ0bfVSDJQaiDU7orVivr5ZlxNsJkIlTC_kmlrZVMIMhl9YO5DeBA9O76dR1PMY7JShKXJrZ6Ldpa7Tf');
CREATE TABLE difference (
  client_id text PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
  kind      text NOT NULL CHECK (kind IN ('missing', 'changed', 'locked')),
  fields    text NOT NULL, -- of changed
  found_ms  bigint NOT NULL
);
INSERT INTO difference (client_id,kind,fields,found_ms) VALUES
('AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','locked','[]',1795527809740),
('d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','missing','[]',1795527809749),
('Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','changed','["clientName"]',1795527809760);
CREATE TABLE reconciliation (
  name       text PRIMARY KEY,
  after_id   text NOT NULL,
  started_ms bigint NOT NULL,
  ended_ms   bigint NOT NULL -- less than started_ms while it runs
);
INSERT INTO reconciliation (name,after_id,started_ms,ended_ms) VALUES
('provider','',1795527809817,1795527809817);
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
(1,'x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','registered','vera',1795527806344,'[]','[]','','','','','[]','RUSDNSKM3FAIQHOTEJEOUY2NJ2','',0,0),
(2,'x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4','activated','vera',1795527806397,'[]','[]','','','assigned-Y6LW2SQBYJUE5LPXMXQYI4PHTK','','[]','RUSDNSKM3FAIQHOTEJEOUY2NJ2','',0,0),
(3,'MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','registered','vera',1795527806482,'[]','[]','','','','','[]','6ZXXSURBLJBM2JFSW3PNLKUMVI','',0,0),
(4,'MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','activated','vera',1795527806544,'[]','[]','','','assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW','','[]','6ZXXSURBLJBM2JFSW3PNLKUMVI','',0,0),
(5,'MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk','updated','vera',1795527806658,'["status"]','[]','','','','','[]','YMBZ72NBRHBZKM5ADGTY4DXC65','',0,0),
(6,'MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','registered','vera',1795527806738,'[]','[]','','','','','[]','TWUEUPAWQSLO3DBUUQGSPRLFZ3','',0,0),
(7,'MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','activated','vera',1795527806807,'[]','[]','','','assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC','','[]','TWUEUPAWQSLO3DBUUQGSPRLFZ3','',0,0),
(8,'MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI','updated','ada',1795527806836,'["status"]','[]','','','','A leaked key','[]','NYVOJ6DKWLESCW77KVLRD3HGLX','',0,0),
(9,'r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','registered','vera',1795527806956,'[]','[]','','','','','[]','OZHW75E2NMOBJOGVLWMO2H2ZKW','',0,0),
(10,'r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','activated','vera',1795527807008,'[]','[]','','','assigned-VCUJKJDJO47LGV6NKVHE66Z32K','','[]','OZHW75E2NMOBJOGVLWMO2H2ZKW','',0,0),
(11,'r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs','updated','vera',1795527807109,'["publicKey"]','[]','','','','','[]','CAMAKCSQDJEPPSUGDIYRED44G4','',0,0),
(12,'LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ','registered','vera',1795527807122,'[]','[]','','','','','[]','4RCCFEKJ3T5MUPNV2PPIJKQKM3','',0,0),
(13,'LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ','refused','vera',1795527807148,'[]','[]','provider_refused','','','','[]','4RCCFEKJ3T5MUPNV2PPIJKQKM3','',0,0),
(14,'of-the-provider','registered','vera',1795527807222,'[]','[]','','','','','[]','WTYE3X3UGJA746H6AZ7CYIS73U','',0,0),
(15,'of-the-provider','activated','vera',1795527807283,'[]','[]','','','assigned-TKTKWQ7LYH45WRO75OOVQ6PZ3L','','[]','WTYE3X3UGJA746H6AZ7CYIS73U','',0,0),
(16,'SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8','registered','vera',1795527807344,'[]','[]','','','','','[]','BVIV2GXXVT4TPVJRFUT4LURQFF','',0,0),
(17,'QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','registered','vera',1795527807693,'[]','[]','','','','','[]','UONWIN23Z73SCFVNN2DJ54VHIB','',0,0),
(18,'QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8','activated','vera',1795527807775,'[]','[]','','','assigned-5KFWOT5V3ZQNQJJEEYICKJH5QE','','[]','UONWIN23Z73SCFVNN2DJ54VHIB','',0,0),
(19,'jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','registered','vera',1795527807890,'[]','[]','','','','','[]','QRYFJKPTQAODEVBW5K6EWLCTL7','',0,0),
(20,'jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','activated','vera',1795527807932,'[]','[]','','','assigned-CWJ43CGFIDLF77KH6FE6M7CY2R','','[]','QRYFJKPTQAODEVBW5K6EWLCTL7','',0,0),
(21,'jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo','doubtful','vera',1795527808023,'[]','[]','provider_doubtful','','','','[]','SPMLQHWF23NZMTQ7AD5VJVV3NS','',0,0),
(22,'PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','registered','initial access token:2a59c441c89bfbea',1795527808088,'[]','[]','','','','','[]','PY4XQ7SSBU2DSYQ3HFL7XEZPTK','',0,0),
(23,'PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g','activated','initial access token:2a59c441c89bfbea',1795527808117,'[]','[]','','','assigned-5IQS55JSXHKMEPXRN6QIGAIKR2','','[]','PY4XQ7SSBU2DSYQ3HFL7XEZPTK','',0,0),
(24,'lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','registered','vera',1795527808180,'[]','[]','','','','','[]','UPOBRPWKEYBJQGRX3XH4QDK5EU','',0,0),
(25,'lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','held','vera',1795527808180,'[]','[]','','','','','[]','UPOBRPWKEYBJQGRX3XH4QDK5EU','',0,0),
(26,'c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','registered','vera',1795527808422,'[]','[]','','','','','[]','OJ6ZGO7XDU3UACWVWH4DP6ZNCI','',0,0),
(27,'c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','held','vera',1795527808422,'[]','[]','','','','','[]','OJ6ZGO7XDU3UACWVWH4DP6ZNCI','',0,0),
(28,'lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','approved','oidc-registrar',1795527808606,'[]','[]','','','','','[]','KULN33V3I67GICINVYHHXM7YLJ','',0,0),
(29,'lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','activated','oidc-registrar',1795527808623,'[]','[]','','','assigned-YBYMETMAZOM3BZRED33Q2RHGNI','','[]','KULN33V3I67GICINVYHHXM7YLJ','',0,0),
(30,'eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY','registered','vera',1795527808688,'[]','[]','','','','','[]','ZTHH4FQMQVAKNOW6MLUBECW5CX','',0,0),
(31,'eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY','held','vera',1795527808688,'[]','[]','','','','','[]','ZTHH4FQMQVAKNOW6MLUBECW5CX','',0,0),
(32,'c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk','failed','oidc-registrar',1795527808756,'[]','[]','not_approved','','','The decision of fay','[]','IDO6X7XS4BFFMIGXJLMESK4AOR','',0,0),
(33,'eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY','removed','vera',1795527808818,'[]','[]','','','','','[]','GNMJKYSHETN7ESW5LGWEVG7TOD','',0,0),
(34,'_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM','registered','vera',1795527808881,'[]','[]','','','','','[]','VEAS54FFCGCUWQEWTEXMEBQIQ4','',0,0),
(35,'_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM','held','vera',1795527808881,'[]','[]','','','','','[]','VEAS54FFCGCUWQEWTEXMEBQIQ4','',0,0),
(36,'lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8','held','vera',1795527809048,'["redirectUris"]','[]','','','','','[]','3MFI2UATIFX4IFPA52LTOBWQVS','',0,0),
(37,'Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','registered','vera',1795527809087,'[]','[]','','','','','[]','Z7YMWW64CNO5LV6QT6T462DAE5','',0,0),
(38,'Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','activated','vera',1795527809128,'[]','[]','','','assigned-JOJG7QSKLB4IT3LYPVTUA2GKNR','','[]','Z7YMWW64CNO5LV6QT6T462DAE5','',0,0),
(39,'AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','registered','vera',1795527809187,'[]','[]','','','','','[]','N5RXYOTD6AGX6TPPU2VILAXANZ','',0,0),
(40,'AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','activated','vera',1795527809259,'[]','[]','','','assigned-T5Q4IL4FAKQBZPSEIZY6N5IVL7','','[]','N5RXYOTD6AGX6TPPU2VILAXANZ','',0,0),
(41,'d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','registered','vera',1795527809304,'[]','[]','','','','','[]','R3YDHT5N7WBVE5O7ZIKXTKXSQO','',0,0),
(42,'d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','activated','vera',1795527809346,'[]','[]','','','assigned-R4RQ57EJ2TBFLSWTILHSBEBXGQ','','[]','R3YDHT5N7WBVE5O7ZIKXTKXSQO','',0,0),
(43,'AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q','missing','system:import',1795527809740,'[]','[]','provider_doubtful','','','','[]','','',0,0),
(44,'d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ','missing','system:import',1795527809749,'[]','[]','','','','','[]','','',0,0),
(45,'Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A','differs','system:import',1795527809760,'["clientName"]','[]','','','','','[]','','',0,0),
(46,'AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','registered','vera',1795527892448,'[]','[]','','','','','[]','DWLHBXPLY7NWHTQKAXKOKAJAAB','',0,0),
(47,'AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','activated','vera',1795527892544,'[]','[]','','','assigned-SBXHU72LTOGFKEBQ4JSW55FQRL','','[]','DWLHBXPLY7NWHTQKAXKOKAJAAB','',0,0),
(48,'AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU','updated','vera',1795527892636,'["status"]','[]','','','','','[]','OCTXSD5WQQ6G76R6UPFHPVHKC2','',0,0),
(49,'rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg','registered','vera',1795527913330,'[]','[]','','','','','[]','5LV66XISDB7OM5FNUJAUS7QJN4','',0,0),
(50,'8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','registered','vera',1795527913775,'[]','[]','','','','','[]','26PHU5DX5HAQDC6PZ55O7ZD5OP','',0,0),
(51,'8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs','held','vera',1795527913775,'[]','[]','','','','','[]','26PHU5DX5HAQDC6PZ55O7ZD5OP','',0,0),
(52,'_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM','removed','vera',1795527913999,'[]','[]','','','','','[]','UWSIEJTQ3LNEZORJAWU6PQEFBR','',0,0);
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
(1,'demo-partner','','created','system:catalog',1795527805999,'[]','',''),
(2,'','demo-policy','created','system:catalog',1795527805999,'[]','',''),
(3,'demo-partner','demo-policy','approved','system:catalog',1795527805999,'[]','',''),
(4,'','free','created','ada',1795527806198,'[]','6WOYYNEYAWJUIXO4DOIWLJ54B4',''),
(5,'','reviewed','created','ada',1795527806210,'[]','OTY7TERRKNYGOQZXTMMNTP5ZC6',''),
(6,'','old','created','ada',1795527806232,'[]','VF3CZEHK733TWL3RRXGRTCOSWY',''),
(7,'bank','','created','ada',1795527806235,'[]','FCAPGW243PRB5EY54JY2GTSYP3',''),
(8,'bank','free','approved','ada',1795527806239,'[]','GNH2YBVEUUD5RBF7GKYU5V3PAR',''),
(9,'bank','reviewed','approved','ada',1795527806250,'[]','EFZOCJ2G4CX4IANRXSUQH6ZGDC',''),
(10,'bank','old','approved','ada',1795527806266,'[]','CX45XCU4XOPJ4YGG6Y24U56UFC',''),
(11,'shop','','created','ada',1795527806280,'[]','GHT4OA3GGQ6CZTBLSDJ765VGBR',''),
(12,'shop','free','approved','ada',1795527806295,'[]','PJ75D25L7PEQLOMZ2W6A4NFGWU',''),
(13,'shop','reviewed','approved','ada',1795527806311,'[]','CWW2NZJGLPBAJ532FDRJECEINU',''),
(14,'shop','old','approved','ada',1795527806327,'[]','RASLLATVQCFMGFAGVG43TYUJG2',''),
(15,'bank','old','revoked','ada',1795527806332,'[]','7UUCJVISVCVAGDO2FJVQNHGEE6','');
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
('01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','','["*"]','["*"]','','v1',1,'',0,'dump:gIKsTCpdCF8nURYr4FR_xvv0jLscHrRRcs249Xlmguamq7pT3WGcAxN0b_2PGs6widHcMF_JIl46J_0suOiyAwQ9Hz6D0FzpF-NJTgjj6KqTVc61mYgsDssvaHdOJFIGkpLQ8dRc-apQgWJgr34Tq4x9_DUWJuEEZed5maddD_LYn-z3k8CHAm6shRyUJ1zza_JULWuJfJeBYqmkZHK8X_nCFMTR_aeFn56VNQ','PHY=','whpk_OtiwyFFOEf3cmBVrLT8TezUQE7V/xM2TLi+a4V4D0w4=','','','',0,0,0,0,'{"id":"ada"}',1795527806087,1795527806087,1),
('01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','','["client.*"]','["*"]','','v1',0,'admin',1795527913229,'dump:1i6j4Sa_IZBAnI82TKg5BoRXvG0CyX3DoCBsjs8Og2ajq1cyBXzTNcdJtVILzxUJa-foayQtmiXPiXVtXH7K2v_WbkTZndr9QdCDiOSw-1knSyX2TyFSNYkApRlonCfalCvvbgVfbbDYVoD5Or6tb9nP7r0aM9VtcKu2YufE9cNGbZfoyQ-1PQPBkdtC_7WeNumea1O9sVI3lCGZiEuPfkvCFC3oZWVuhS17wQ','4Bc=','whpk_QuKBFD4I7nI6IWN4fJVR7ObbrkbRv9R+/BHCOh6Idmo=','','','',0,7,1795527806409,1795528017574,'{"id":"ada"}',1795527806117,1795527913229,2),
('01a20dcc-0caf-7db1-8ee4-84765d36cc70','gone','http://127.0.0.1:18476/gone','','["client.activated"]','["*"]','','v1',0,'gone',1795527806510,'dump:ItXB6I8Q2iGfFBk9ixj27Oe-hSbhzrv1rgXk07w2PHzMSvU4jkW8sawQijlBzJ9Q7Aft7H7HAcKdRrptLg1Gi9SAdcPMg8lfWBqowYFeXNVG5tV-W1OZZhJb3Oatfu3Nzybc2uWepttBMbm3Ua1JehMkVkvQbnND1I0okyUxEH1yzlpANXoq1TaR7osA7o81rGfeeTUeuqwaI4hbQLMBkXBpOgO02N3VgUHxJw','mT4=','whpk_3eQv+4sO5EVwf/gpQH0IUaH7Efj0kJY3ChtA5VcVlbs=','','','',0,1,1795527806510,0,'{"id":"ada"}',1795527806123,1795527806510,2),
('01a20dcc-0cc7-7591-8346-6dbb79fbfd79','slow','http://127.0.0.1:18476/slow','','["client.deactivated"]','["*"]','','v1',1,'',0,'dump:3Py70ECJHdY6x744wDo0HqpTJagqnh3UVg8kU3JE6Ndk5Tp2u7e21F0QN6Ce_8bSBybbxCsru6H9dMo8fFEOa9ubylEQMr4NvpInvRxJ0OdqJacPiIp1oASlARqWtwqoYaZhfuXbsCF2awRk1f6wV-EJbsbUf3rG7o0NYDajDlvOdNu9rRc98oHkMCjklgHRaThlFFIQrvgNC_AXUkzHEomgMaiViX6oWt9E9w','TNQ=','whpk_F6itHXTxxOYV2jm8RZIRu7JZlY0iXMxbmvZ6/1EQybY=','','','',0,4,1795527816794,0,'{"id":"ada"}',1795527806151,1795527806151,1),
('01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','v1a',1,'',0,'dump:qwtpiNjAdUY2yfVuqRe37yL-mKdEPbt1_Dg1_cazib3EuZiRmbAwZBxKMzeJcF12ygGieRlX5pSg-gYkg3RExWBmUKKJJ4sQ7uRG3BO5a6KRojuOZWDQ6CNUpmeiY46GTLtKL7X9gBv48jzfFIiw-jItMcfuhEieEePhnZZ21A-ICevBQP8RaZyKcFk-Wtkgnlv7wFi5J8e1b7QTTseVoVPs10RgSwMSljaJCQ','mFE=','whpk_/6ZYZ7uUamtlJbOUL9jeOkVcEzQ5gYrcdDzc8mbiBns=','','','',0,0,0,0,'{"id":"ada"}',1795527806169,1795527806169,1),
('01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','','["client.*"]','["*"]','','both',1,'',0,'dump:ZZcQna-0nj1kXD9kUGN_yDrxg3sPGz1LkLQjKK8hSBLlobx6Om46pYQyXFpsULueIK5pryCSRyjOSBqDcIbXFythFuSOXr3efRldbvw4XaX_ZQKCt0Md_XXBs_37vVOtqds2HuviOQQ-QeAqx_dma13jYzpexWrPUN9XlzJdymyax236thXx0JBDZRct1B5Z6xCu0xoGWf37RsVYZwPyOP-NVx_6_HquCYI1Ew','xpE=','whpk_9gdJtHu8e40xMy6PurUuxDYJp+x6CsEF1u++RWaOzv8=','','','',0,0,0,0,'{"id":"ada"}',1795527806183,1795527806183,1);
CREATE TABLE message (
  event_id    text NOT NULL,
  variant     text NOT NULL, -- the parts that it includes
  payload     text NOT NULL, -- JSON
  traceparent text NOT NULL,
  PRIMARY KEY (event_id, variant)
);
INSERT INTO message (event_id,variant,payload,traceparent) VALUES
('01a20dcc-0d8a-7035-a5f4-907fec1e70a6','','{"type":"client.registered","timestamp":"2026-11-24T13:43:26.344Z","data":{"eventId":"01a20dcc-0d8a-7035-a5f4-907fec1e70a6","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','{"type":"client.activated","timestamp":"2026-11-24T13:43:26.397Z","data":{"eventId":"01a20dcc-0dcc-759d-ac13-ea20e5ebe32c","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4","providerClientId":"assigned-Y6LW2SQBYJUE5LPXMXQYI4PHTK","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0e13-7185-8eaf-4281f26dd8f3','','{"type":"client.registered","timestamp":"2026-11-24T13:43:26.482Z","data":{"eventId":"01a20dcc-0e13-7185-8eaf-4281f26dd8f3","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0e51-7846-892b-4f4739ae335a','','{"type":"client.activated","timestamp":"2026-11-24T13:43:26.544Z","data":{"eventId":"01a20dcc-0e51-7846-892b-4f4739ae335a","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk","providerClientId":"assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','{"type":"client.deactivated","timestamp":"2026-11-24T13:43:26.658Z","data":{"eventId":"01a20dcc-0ed0-7130-8fe8-71437ef7ba26","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk","providerClientId":"assigned-7BRRUTIVO7CYX3RRPM6E4ZDHGW","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20dcc-0f12-794f-b91f-f34ddc0a3248','','{"type":"client.registered","timestamp":"2026-11-24T13:43:26.738Z","data":{"eventId":"01a20dcc-0f12-794f-b91f-f34ddc0a3248","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0f58-79ab-96fb-db935cad71bc','','{"type":"client.activated","timestamp":"2026-11-24T13:43:26.807Z","data":{"eventId":"01a20dcc-0f58-79ab-96fb-db935cad71bc","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI","providerClientId":"assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','{"type":"client.deactivated","timestamp":"2026-11-24T13:43:26.836Z","data":{"eventId":"01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI","providerClientId":"assigned-Z3DGYSQSHD6BWUCWDCRQVBDQVC","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}',''),
('01a20dcc-0fed-7516-b291-6d4d4b38019c','','{"type":"client.registered","timestamp":"2026-11-24T13:43:26.956Z","data":{"eventId":"01a20dcc-0fed-7516-b291-6d4d4b38019c","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1021-78e8-b6e2-881504b9803d','','{"type":"client.activated","timestamp":"2026-11-24T13:43:27.008Z","data":{"eventId":"01a20dcc-1021-78e8-b6e2-881504b9803d","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs","providerClientId":"assigned-VCUJKJDJO47LGV6NKVHE66Z32K","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1087-7388-9253-5ec26519e524','','{"type":"client.updated","timestamp":"2026-11-24T13:43:27.109Z","data":{"eventId":"01a20dcc-1087-7388-9253-5ec26519e524","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs","providerClientId":"assigned-VCUJKJDJO47LGV6NKVHE66Z32K","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}',''),
('01a20dcc-1092-7cb0-97b4-e84a74247055','','{"type":"client.registered","timestamp":"2026-11-24T13:43:27.122Z","data":{"eventId":"01a20dcc-1092-7cb0-97b4-e84a74247055","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-10ad-705b-b8a5-467d929b7e84','','{"type":"client.failed","timestamp":"2026-11-24T13:43:27.148Z","data":{"eventId":"01a20dcc-10ad-705b-b8a5-467d929b7e84","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}',''),
('01a20dcc-10f7-752e-820a-906d298444a6','','{"type":"client.registered","timestamp":"2026-11-24T13:43:27.222Z","data":{"eventId":"01a20dcc-10f7-752e-820a-906d298444a6","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1135-7203-b84b-67253f31ebd8','','{"type":"client.activated","timestamp":"2026-11-24T13:43:27.283Z","data":{"eventId":"01a20dcc-1135-7203-b84b-67253f31ebd8","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-TKTKWQ7LYH45WRO75OOVQ6PZ3L","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1171-7a41-8d84-1a21eb4c64c5','','{"type":"client.registered","timestamp":"2026-11-24T13:43:27.344Z","data":{"eventId":"01a20dcc-1171-7a41-8d84-1a21eb4c64c5","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-12dd-7926-bb27-4d83309baff7','','{"type":"client.registered","timestamp":"2026-11-24T13:43:27.693Z","data":{"eventId":"01a20dcc-12dd-7926-bb27-4d83309baff7","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1328-7f3b-9ef2-5bd030a2249d','','{"type":"client.activated","timestamp":"2026-11-24T13:43:27.775Z","data":{"eventId":"01a20dcc-1328-7f3b-9ef2-5bd030a2249d","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8","providerClientId":"assigned-5KFWOT5V3ZQNQJJEEYICKJH5QE","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-13a3-763d-8169-257c45f900f2','','{"type":"client.registered","timestamp":"2026-11-24T13:43:27.890Z","data":{"eventId":"01a20dcc-13a3-763d-8169-257c45f900f2","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-13bd-7628-9063-87b45f34c071','','{"type":"client.activated","timestamp":"2026-11-24T13:43:27.932Z","data":{"eventId":"01a20dcc-13bd-7628-9063-87b45f34c071","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo","providerClientId":"assigned-CWJ43CGFIDLF77KH6FE6M7CY2R","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1460-7096-8b2f-a362d795a784','','{"type":"client.registered","timestamp":"2026-11-24T13:43:28.088Z","data":{"eventId":"01a20dcc-1460-7096-8b2f-a362d795a784","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:2a59c441c89bfbea"}}',''),
('01a20dcc-1476-7738-920a-01ba9fd6f63c','','{"type":"client.activated","timestamp":"2026-11-24T13:43:28.117Z","data":{"eventId":"01a20dcc-1476-7738-920a-01ba9fd6f63c","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g","providerClientId":"assigned-5IQS55JSXHKMEPXRN6QIGAIKR2","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:2a59c441c89bfbea"}}',''),
('01a20dcc-14b5-7449-bb28-aa2f61fe8a90','','{"type":"client.registered","timestamp":"2026-11-24T13:43:28.180Z","data":{"eventId":"01a20dcc-14b5-7449-bb28-aa2f61fe8a90","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-15b7-7803-8d60-5c2719d1703c','','{"type":"client.registered","timestamp":"2026-11-24T13:43:28.422Z","data":{"eventId":"01a20dcc-15b7-7803-8d60-5c2719d1703c","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1670-70fd-acce-63ccf3d174ab','','{"type":"client.activated","timestamp":"2026-11-24T13:43:28.623Z","data":{"eventId":"01a20dcc-1670-70fd-acce-63ccf3d174ab","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8","providerClientId":"assigned-YBYMETMAZOM3BZRED33Q2RHGNI","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}',''),
('01a20dcc-16b2-7245-a5d9-bed06f5ca5b3','','{"type":"client.registered","timestamp":"2026-11-24T13:43:28.688Z","data":{"eventId":"01a20dcc-16b2-7245-a5d9-bed06f5ca5b3","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-16f5-7868-9406-feb9f15977c7','','{"type":"client.failed","timestamp":"2026-11-24T13:43:28.756Z","data":{"eventId":"01a20dcc-16f5-7868-9406-feb9f15977c7","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}',''),
('01a20dcc-173c-7df2-945d-2a43f211c059','','{"type":"client.failed","timestamp":"2026-11-24T13:43:28.818Z","data":{"eventId":"01a20dcc-173c-7df2-945d-2a43f211c059","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1773-70fd-8141-56628633dfd6','','{"type":"client.registered","timestamp":"2026-11-24T13:43:28.881Z","data":{"eventId":"01a20dcc-1773-70fd-8141-56628633dfd6","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1840-759a-95c0-1d93076a1be5','','{"type":"client.registered","timestamp":"2026-11-24T13:43:29.087Z","data":{"eventId":"01a20dcc-1840-759a-95c0-1d93076a1be5","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1869-7647-af0a-baa5d97fd03e','','{"type":"client.activated","timestamp":"2026-11-24T13:43:29.128Z","data":{"eventId":"01a20dcc-1869-7647-af0a-baa5d97fd03e","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A","providerClientId":"assigned-JOJG7QSKLB4IT3LYPVTUA2GKNR","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-18a4-76d0-82f4-0abcc6efe49c','','{"type":"client.registered","timestamp":"2026-11-24T13:43:29.187Z","data":{"eventId":"01a20dcc-18a4-76d0-82f4-0abcc6efe49c","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-18ec-77bb-8845-5139777fc172','','{"type":"client.activated","timestamp":"2026-11-24T13:43:29.259Z","data":{"eventId":"01a20dcc-18ec-77bb-8845-5139777fc172","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q","providerClientId":"assigned-T5Q4IL4FAKQBZPSEIZY6N5IVL7","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1918-7872-bd8d-f311f6d43dcd','','{"type":"client.registered","timestamp":"2026-11-24T13:43:29.304Z","data":{"eventId":"01a20dcc-1918-7872-bd8d-f311f6d43dcd","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcc-1943-784d-b984-0852fd865b9f','','{"type":"client.activated","timestamp":"2026-11-24T13:43:29.346Z","data":{"eventId":"01a20dcc-1943-784d-b984-0852fd865b9f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ","providerClientId":"assigned-R4RQ57EJ2TBFLSWTILHSBEBXGQ","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcd-5df7-7962-b945-e16264bade33','','{"type":"client.registered","timestamp":"2026-11-24T13:44:52.448Z","data":{"eventId":"01a20dcd-5df7-7962-b945-e16264bade33","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcd-5e41-70b1-8135-bd0c22c4b799','','{"type":"client.activated","timestamp":"2026-11-24T13:44:52.544Z","data":{"eventId":"01a20dcd-5e41-70b1-8135-bd0c22c4b799","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU","providerClientId":"assigned-SBXHU72LTOGFKEBQ4JSW55FQRL","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','{"type":"client.deactivated","timestamp":"2026-11-24T13:44:52.636Z","data":{"eventId":"01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU","providerClientId":"assigned-SBXHU72LTOGFKEBQ4JSW55FQRL","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}',''),
('01a20dcd-af73-7a70-9291-2532e4d70c7f','','{"type":"client.registered","timestamp":"2026-11-24T13:45:13.330Z","data":{"eventId":"01a20dcd-af73-7a70-9291-2532e4d70c7f","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcd-b130-7b76-ab94-bf8f58bf45cd','','{"type":"client.registered","timestamp":"2026-11-24T13:45:13.775Z","data":{"eventId":"01a20dcd-b130-7b76-ab94-bf8f58bf45cd","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}',''),
('01a20dcd-b211-7653-a195-d20163a3c7f2','','{"type":"client.failed","timestamp":"2026-11-24T13:45:13.999Z","data":{"eventId":"01a20dcd-b211-7653-a195-d20163a3c7f2","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}','');
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
('01a20dcc-0d8a-7097-93c9-d20092d2bcfc','01a20dcc-0d8a-7035-a5f4-907fec1e70a6','','client.registered','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806399,204,'',10,'',1795527806409,1795527806344,1795527806409),
('01a20dcc-0d8a-709a-8e31-ba52215dc286','01a20dcc-0d8a-7035-a5f4-907fec1e70a6','','client.registered','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806399,503,'status 503',10,'',0,1795527806344,1795527913229),
('01a20dcc-0d8a-709c-a2bf-f49b2f7907e9','01a20dcc-0d8a-7035-a5f4-907fec1e70a6','','client.registered','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806400,204,'',3,'',1795527806403,1795527806344,1795527806403),
('01a20dcc-0d8a-709d-9805-c9b273a806fa','01a20dcc-0d8a-7035-a5f4-907fec1e70a6','','client.registered','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806398,204,'',11,'',1795527806409,1795527806344,1795527806409),
('01a20dcc-0dcc-761f-9988-f65f962b1aac','01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','client.activated','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806493,204,'',6,'',1795527806499,1795527806397,1795527806499),
('01a20dcc-0dcc-7623-804a-a52e6ef13ff0','01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','client.activated','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806498,503,'status 503',12,'',0,1795527806397,1795527913229),
('01a20dcc-0dcc-7625-b80a-c8c1321ced2e','01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','client.activated','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',2,'01a20dcc-0caf-7db1-8ee4-84765d36cc70','gone','http://127.0.0.1:18476/gone','01a20dcc-0caf-7db1-8ee4-84765d36cc70','failed',1,1,0,1795527806499,410,'status 410',11,'',0,1795527806397,1795527806510),
('01a20dcc-0dcc-7629-ab0f-948803db9c18','01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','client.activated','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806498,204,'',12,'',1795527806510,1795527806397,1795527806510),
('01a20dcc-0dcc-762a-8a24-8a7fae94cbc1','01a20dcc-0dcc-759d-ac13-ea20e5ebe32c','','client.activated','x8uLLDMfRsarW18Kz6T-fgHS7DXyY4ygC1OeyUp0Nn4',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806499,204,'',11,'',1795527806510,1795527806397,1795527806510),
('01a20dcc-0e13-7218-8e1f-b69614a3fbd7','01a20dcc-0e13-7185-8eaf-4281f26dd8f3','','client.registered','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806588,204,'',2,'',1795527806590,1795527806482,1795527806590),
('01a20dcc-0e13-721c-8a9a-3a0cc6ed496f','01a20dcc-0e13-7185-8eaf-4281f26dd8f3','','client.registered','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806588,503,'status 503',2,'',0,1795527806482,1795527913229),
('01a20dcc-0e13-721d-9dac-c6bb42a703f4','01a20dcc-0e13-7185-8eaf-4281f26dd8f3','','client.registered','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806589,204,'',1,'',1795527806590,1795527806482,1795527806590),
('01a20dcc-0e13-721e-b46f-d3882cafd4e4','01a20dcc-0e13-7185-8eaf-4281f26dd8f3','','client.registered','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806589,204,'',1,'',1795527806590,1795527806482,1795527806590),
('01a20dcc-0e51-78f2-b2aa-636ed7df839b','01a20dcc-0e51-7846-892b-4f4739ae335a','','client.activated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806671,204,'',2,'',1795527806673,1795527806544,1795527806673),
('01a20dcc-0e51-78f5-8151-5fa21f8f8a0c','01a20dcc-0e51-7846-892b-4f4739ae335a','','client.activated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806672,503,'status 503',1,'',0,1795527806544,1795527913229),
('01a20dcc-0e51-7905-82e8-fda889f5ce67','01a20dcc-0e51-7846-892b-4f4739ae335a','','client.activated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',2,'01a20dcc-0caf-7db1-8ee4-84765d36cc70','gone','http://127.0.0.1:18476/gone','01a20dcc-0caf-7db1-8ee4-84765d36cc70','cancelled',1,0,0,0,0,'',0,'',0,1795527806544,1795527806564),
('01a20dcc-0e51-790a-8796-4062c3192de9','01a20dcc-0e51-7846-892b-4f4739ae335a','','client.activated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806672,204,'',1,'',1795527806673,1795527806544,1795527806673),
('01a20dcc-0e51-790b-976b-c11d7fff4385','01a20dcc-0e51-7846-892b-4f4739ae335a','','client.activated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806672,204,'',1,'',1795527806673,1795527806544,1795527806673),
('01a20dcc-0ed0-7251-8ea1-293a96c17d96','01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','client.deactivated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',3,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806814,204,'',13,'',1795527806827,1795527806658,1795527806827),
('01a20dcc-0ed0-7255-9e2a-f09738527857','01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','client.deactivated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',3,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806814,503,'status 503',13,'',0,1795527806658,1795527913229),
('01a20dcc-0ed0-7257-9fd5-3ac96db945dc','01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','client.deactivated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',3,'01a20dcc-0cc7-7591-8346-6dbb79fbfd79','slow','http://127.0.0.1:18476/slow','01a20dcc-0cc7-7591-8346-6dbb79fbfd79','sending',1,2,0,1795527882425,0,'timeout',10004,'',0,1795527806658,1795527892429),
('01a20dcc-0ed0-7259-be1b-4069c70528f3','01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','client.deactivated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',3,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806814,204,'',13,'',1795527806827,1795527806658,1795527806827),
('01a20dcc-0ed0-725b-83c4-7fa2b6bfa564','01a20dcc-0ed0-7130-8fe8-71437ef7ba26','','client.deactivated','MF0PcTpv1p1FEI4JXd8MXxYqDp4W4gHEh4khaSKjRKk',3,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806814,204,'',13,'',1795527806827,1795527806658,1795527806827),
('01a20dcc-0f12-79ba-ada1-04c4e2f8e764','01a20dcc-0f12-794f-b91f-f34ddc0a3248','','client.registered','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806792,204,'',1,'',1795527806793,1795527806738,1795527806793),
('01a20dcc-0f12-79bd-b007-e4e1636d8e9a','01a20dcc-0f12-794f-b91f-f34ddc0a3248','','client.registered','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806793,503,'status 503',4,'',0,1795527806738,1795527913229),
('01a20dcc-0f12-79d5-9590-20e3d1760907','01a20dcc-0f12-794f-b91f-f34ddc0a3248','','client.registered','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806793,204,'',4,'',1795527806797,1795527806738,1795527806797),
('01a20dcc-0f12-79d6-b018-4840fe414dd8','01a20dcc-0f12-794f-b91f-f34ddc0a3248','','client.registered','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806793,204,'',4,'',1795527806797,1795527806738,1795527806797),
('01a20dcc-0f58-7a22-8700-f1584e943f13','01a20dcc-0f58-79ab-96fb-db935cad71bc','','client.activated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806877,204,'',1,'',1795527806878,1795527806807,1795527806878),
('01a20dcc-0f58-7a25-8a5c-929bcfd8c164','01a20dcc-0f58-79ab-96fb-db935cad71bc','','client.activated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806878,503,'status 503',0,'',0,1795527806807,1795527913229),
('01a20dcc-0f58-7a27-b6e7-5673b52cb09f','01a20dcc-0f58-79ab-96fb-db935cad71bc','','client.activated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806878,204,'',0,'',1795527806878,1795527806807,1795527806878),
('01a20dcc-0f58-7a28-a745-1c0971c75657','01a20dcc-0f58-79ab-96fb-db935cad71bc','','client.activated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806878,204,'',0,'',1795527806878,1795527806807,1795527806878),
('01a20dcc-0f75-7ac4-87a5-3035ed238488','01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','client.deactivated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',3,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527806882,204,'',10,'',1795527806892,1795527806836,1795527806892),
('01a20dcc-0f75-7ac7-a797-2af7eccb14de','01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','client.deactivated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',3,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527806882,503,'status 503',11,'',0,1795527806836,1795527913229),
('01a20dcc-0f75-7ac8-8b5a-322b93e33963','01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','client.deactivated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',3,'01a20dcc-0cc7-7591-8346-6dbb79fbfd79','slow','http://127.0.0.1:18476/slow','01a20dcc-0cc7-7591-8346-6dbb79fbfd79','sending',1,2,0,1795527882425,0,'timeout',10002,'',0,1795527806836,1795527892427),
('01a20dcc-0f75-7aca-a6bd-4e047837c731','01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','client.deactivated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',3,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527806882,204,'',10,'',1795527806892,1795527806836,1795527806892),
('01a20dcc-0f75-7acb-9e8a-c58b053fafdc','01a20dcc-0f75-7a69-b599-8a5ad8ed5ce9','','client.deactivated','MPsYW005HuwzgnMq0TO68arHvwAG_XKU-rdczV81_sI',3,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527806883,204,'',10,'',1795527806893,1795527806836,1795527806893),
('01a20dcc-0fed-75a8-a89d-3b02b8a562ac','01a20dcc-0fed-7516-b291-6d4d4b38019c','','client.registered','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807044,204,'',2,'',1795527807046,1795527806956,1795527807046),
('01a20dcc-0fed-75ab-914f-a1ef5b34e767','01a20dcc-0fed-7516-b291-6d4d4b38019c','','client.registered','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527837050,503,'status 503',3,'',0,1795527806956,1795527913229),
('01a20dcc-0fed-75ad-99bf-5334e5b2fdea','01a20dcc-0fed-7516-b291-6d4d4b38019c','','client.registered','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807045,204,'',1,'',1795527807046,1795527806956,1795527807046),
('01a20dcc-0fed-75af-a075-83fcc79ee054','01a20dcc-0fed-7516-b291-6d4d4b38019c','','client.registered','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807045,204,'',1,'',1795527807046,1795527806956,1795527807046),
('01a20dcc-1021-797c-a37b-3bf443fe6c69','01a20dcc-1021-78e8-b6e2-881504b9803d','','client.activated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807085,204,'',1,'',1795527807086,1795527807008,1795527807086),
('01a20dcc-1021-797f-b2d1-133122ee1510','01a20dcc-1021-78e8-b6e2-881504b9803d','','client.activated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,1,0,1795527897573,503,'status 503',1,'',0,1795527807008,1795527913229),
('01a20dcc-1021-7981-974b-d052185fe073','01a20dcc-1021-78e8-b6e2-881504b9803d','','client.activated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807085,204,'',1,'',1795527807086,1795527807008,1795527807086),
('01a20dcc-1021-7983-9181-cb922c6921e3','01a20dcc-1021-78e8-b6e2-881504b9803d','','client.activated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807085,204,'',1,'',1795527807086,1795527807008,1795527807086),
('01a20dcc-1087-740e-82fe-e71c96ca9d49','01a20dcc-1087-7388-9253-5ec26519e524','','client.updated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',3,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807172,204,'',12,'',1795527807184,1795527807109,1795527807184),
('01a20dcc-1087-7410-9c3b-6f75f2c62a76','01a20dcc-1087-7388-9253-5ec26519e524','','client.updated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',3,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807109,1795527913229),
('01a20dcc-1087-7412-987f-cd0b1a047781','01a20dcc-1087-7388-9253-5ec26519e524','','client.updated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',3,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807173,204,'',11,'',1795527807184,1795527807109,1795527807184),
('01a20dcc-1087-7413-98a9-12234252f151','01a20dcc-1087-7388-9253-5ec26519e524','','client.updated','r95dG3F44PRSWhj_Wj7Ll5eAade2J8nXQlKNK3iR_fs',3,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807173,204,'',11,'',1795527807184,1795527807109,1795527807184),
('01a20dcc-1092-7d55-8d57-9eb5d1d6a420','01a20dcc-1092-7cb0-97b4-e84a74247055','','client.registered','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807173,204,'',11,'',1795527807184,1795527807122,1795527807184),
('01a20dcc-1092-7d5a-9038-c6436972adb4','01a20dcc-1092-7cb0-97b4-e84a74247055','','client.registered','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807122,1795527913229),
('01a20dcc-1092-7d5c-a60e-bdd1121db453','01a20dcc-1092-7cb0-97b4-e84a74247055','','client.registered','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807173,204,'',13,'',1795527807186,1795527807122,1795527807186),
('01a20dcc-1092-7d5d-8604-bd1bb14a029a','01a20dcc-1092-7cb0-97b4-e84a74247055','','client.registered','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807174,204,'',12,'',1795527807186,1795527807122,1795527807186),
('01a20dcc-10ad-70e6-85e6-13928d95ef91','01a20dcc-10ad-705b-b8a5-467d929b7e84','','client.failed','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807242,204,'',10,'',1795527807252,1795527807148,1795527807252),
('01a20dcc-10ad-70e9-ac1e-e66d58265db5','01a20dcc-10ad-705b-b8a5-467d929b7e84','','client.failed','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807148,1795527913229),
('01a20dcc-10ad-70ed-bd85-5aae9d89fd45','01a20dcc-10ad-705b-b8a5-467d929b7e84','','client.failed','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807244,204,'',8,'',1795527807252,1795527807148,1795527807252),
('01a20dcc-10ad-70ee-a8ad-6d887dad7c62','01a20dcc-10ad-705b-b8a5-467d929b7e84','','client.failed','LBCs1Y95W6HDUIkj2AalxOliDSfzRYM8InDzWGnDiyQ',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807245,204,'',7,'',1795527807252,1795527807148,1795527807252),
('01a20dcc-10f7-75c6-8f55-9da88d9a4b58','01a20dcc-10f7-752e-820a-906d298444a6','','client.registered','of-the-provider',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807290,204,'',2,'',1795527807292,1795527807222,1795527807292),
('01a20dcc-10f7-75c9-b8ae-0146166e7955','01a20dcc-10f7-752e-820a-906d298444a6','','client.registered','of-the-provider',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807222,1795527913229),
('01a20dcc-10f7-75ca-82a9-40d9c277501a','01a20dcc-10f7-752e-820a-906d298444a6','','client.registered','of-the-provider',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807290,204,'',2,'',1795527807292,1795527807222,1795527807292),
('01a20dcc-10f7-75cd-8695-eadce7064f41','01a20dcc-10f7-752e-820a-906d298444a6','','client.registered','of-the-provider',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807290,204,'',2,'',1795527807292,1795527807222,1795527807292),
('01a20dcc-1135-72b0-baa8-65788a8057c6','01a20dcc-1135-7203-b84b-67253f31ebd8','','client.activated','of-the-provider',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807391,204,'',1,'',1795527807392,1795527807283,1795527807392),
('01a20dcc-1135-72b4-84d3-7750a48bdb32','01a20dcc-1135-7203-b84b-67253f31ebd8','','client.activated','of-the-provider',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807283,1795527913229),
('01a20dcc-1135-72b7-8033-23c2eee71e08','01a20dcc-1135-7203-b84b-67253f31ebd8','','client.activated','of-the-provider',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807389,204,'',3,'',1795527807392,1795527807283,1795527807392),
('01a20dcc-1135-72e8-a5e2-f8d87d0ea2f5','01a20dcc-1135-7203-b84b-67253f31ebd8','','client.activated','of-the-provider',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807391,204,'',1,'',1795527807392,1795527807283,1795527807392),
('01a20dcc-1171-7af4-b1ec-d47dcb450a21','01a20dcc-1171-7a41-8d84-1a21eb4c64c5','','client.registered','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807418,204,'',3,'',1795527807421,1795527807344,1795527807421),
('01a20dcc-1171-7af7-8696-efe9702f243e','01a20dcc-1171-7a41-8d84-1a21eb4c64c5','','client.registered','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807344,1795527913229),
('01a20dcc-1171-7afb-9ae8-f520849947b4','01a20dcc-1171-7a41-8d84-1a21eb4c64c5','','client.registered','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807418,204,'',3,'',1795527807421,1795527807344,1795527807421),
('01a20dcc-1171-7afc-9664-6776de69e277','01a20dcc-1171-7a41-8d84-1a21eb4c64c5','','client.registered','SA0Uz0pTtwGQTfFUuOFQpZHCXINwrksnyywGCXe17a8',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807417,204,'',4,'',1795527807421,1795527807344,1795527807421),
('01a20dcc-12dd-79c8-a4dd-2045764ef816','01a20dcc-12dd-7926-bb27-4d83309baff7','','client.registered','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807757,204,'',9,'',1795527807766,1795527807693,1795527807766),
('01a20dcc-12dd-79e0-aee7-6a494a1ba214','01a20dcc-12dd-7926-bb27-4d83309baff7','','client.registered','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807693,1795527913229),
('01a20dcc-12dd-79e4-ad3d-c10428b7dc84','01a20dcc-12dd-7926-bb27-4d83309baff7','','client.registered','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807757,204,'',7,'',1795527807764,1795527807693,1795527807764),
('01a20dcc-12dd-79e6-945f-274eddec122f','01a20dcc-12dd-7926-bb27-4d83309baff7','','client.registered','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807756,204,'',8,'',1795527807764,1795527807693,1795527807764),
('01a20dcc-1329-7093-8442-1e6b855842c7','01a20dcc-1328-7f3b-9ef2-5bd030a2249d','','client.activated','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527807841,204,'',5,'',1795527807846,1795527807775,1795527807846),
('01a20dcc-1329-7096-b61f-eda6c1f78dcc','01a20dcc-1328-7f3b-9ef2-5bd030a2249d','','client.activated','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807775,1795527913229),
('01a20dcc-1329-7098-93c4-d6b37c699fe6','01a20dcc-1328-7f3b-9ef2-5bd030a2249d','','client.activated','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527807841,204,'',5,'',1795527807846,1795527807775,1795527807846),
('01a20dcc-1329-709b-8997-910a4d524785','01a20dcc-1328-7f3b-9ef2-5bd030a2249d','','client.activated','QyEMylkQvIlw7_S5_3nW2Air5lAH--axMc1AJ9l9vc8',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527807841,204,'',5,'',1795527807846,1795527807775,1795527807846),
('01a20dcc-13a3-76fd-9988-85df7e993628','01a20dcc-13a3-763d-8169-257c45f900f2','','client.registered','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807890,1795527808005),
('01a20dcc-13a3-7700-974f-ab1aef8029f4','01a20dcc-13a3-763d-8169-257c45f900f2','','client.registered','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807890,1795527913229),
('01a20dcc-13a3-7702-a82b-118ed8c51c63','01a20dcc-13a3-763d-8169-257c45f900f2','','client.registered','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807890,1795527808005),
('01a20dcc-13a3-7705-b93a-6833a35205aa','01a20dcc-13a3-763d-8169-257c45f900f2','','client.registered','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807890,1795527808005),
('01a20dcc-13bd-769a-b4d1-3558d6794175','01a20dcc-13bd-7628-9063-87b45f34c071','','client.activated','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807932,1795527808005),
('01a20dcc-13bd-769e-97c9-b6aadb75d714','01a20dcc-13bd-7628-9063-87b45f34c071','','client.activated','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527807932,1795527913229),
('01a20dcc-13bd-76a0-9cef-292c9e3aec5a','01a20dcc-13bd-7628-9063-87b45f34c071','','client.activated','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807932,1795527808005),
('01a20dcc-13bd-76b7-a6db-41eb90571d05','01a20dcc-13bd-7628-9063-87b45f34c071','','client.activated','jLeQuV9xejJHryNMTnma_XmDFFqpWHPyodV7WjphOQo',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808003,204,'',2,'',1795527808005,1795527807932,1795527808005),
('01a20dcc-1460-7152-aa92-8a6158b8edd9','01a20dcc-1460-7096-8b2f-a362d795a784','','client.registered','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808119,204,'',1,'',1795527808120,1795527808088,1795527808120),
('01a20dcc-1460-7154-bc32-9f7e9af35173','01a20dcc-1460-7096-8b2f-a362d795a784','','client.registered','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808088,1795527913229),
('01a20dcc-1460-7155-80f9-2f80ae5b7cb8','01a20dcc-1460-7096-8b2f-a362d795a784','','client.registered','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808119,204,'',1,'',1795527808120,1795527808088,1795527808120),
('01a20dcc-1460-7156-82f5-30acb6754b85','01a20dcc-1460-7096-8b2f-a362d795a784','','client.registered','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808117,204,'',3,'',1795527808120,1795527808088,1795527808120),
('01a20dcc-1476-7793-a949-90c5b4ce47a7','01a20dcc-1476-7738-920a-01ba9fd6f63c','','client.activated','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808203,204,'',4,'',1795527808207,1795527808117,1795527808207),
('01a20dcc-1476-7795-8eb1-10c0ffd616b1','01a20dcc-1476-7738-920a-01ba9fd6f63c','','client.activated','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808117,1795527913229),
('01a20dcc-1476-7796-8d74-2f93985f2ebf','01a20dcc-1476-7738-920a-01ba9fd6f63c','','client.activated','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808203,204,'',4,'',1795527808207,1795527808117,1795527808207),
('01a20dcc-1476-7799-8847-4dd2dc0dfad6','01a20dcc-1476-7738-920a-01ba9fd6f63c','','client.activated','PJbrBquyZxCno9y3J8cGCaqyggIxS41VO3M_LvilS7g',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808204,204,'',3,'',1795527808207,1795527808117,1795527808207),
('01a20dcc-14b5-7498-825e-d8720e2cfa1d','01a20dcc-14b5-7449-bb28-aa2f61fe8a90','','client.registered','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',0,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808268,204,'',1,'',1795527808269,1795527808180,1795527808269),
('01a20dcc-14b5-749a-af17-7fa9d98b4532','01a20dcc-14b5-7449-bb28-aa2f61fe8a90','','client.registered','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',0,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808180,1795527913229),
('01a20dcc-14b5-749d-8635-b1ffde10ec52','01a20dcc-14b5-7449-bb28-aa2f61fe8a90','','client.registered','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',0,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808267,204,'',2,'',1795527808269,1795527808180,1795527808269),
('01a20dcc-14b5-749f-802a-748272d28065','01a20dcc-14b5-7449-bb28-aa2f61fe8a90','','client.registered','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',0,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808267,204,'',2,'',1795527808269,1795527808180,1795527808269),
('01a20dcc-15b7-787b-b9f3-92c4207e2527','01a20dcc-15b7-7803-8d60-5c2719d1703c','','client.registered','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',0,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808495,204,'',14,'',1795527808509,1795527808422,1795527808509),
('01a20dcc-15b7-787f-8515-e9bfcb87b9c9','01a20dcc-15b7-7803-8d60-5c2719d1703c','','client.registered','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',0,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808422,1795527913229),
('01a20dcc-15b7-7880-86ae-e46935b7f237','01a20dcc-15b7-7803-8d60-5c2719d1703c','','client.registered','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',0,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808495,204,'',14,'',1795527808509,1795527808422,1795527808509),
('01a20dcc-15b7-7881-aa99-f6d58b4fe814','01a20dcc-15b7-7803-8d60-5c2719d1703c','','client.registered','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',0,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808494,204,'',15,'',1795527808509,1795527808422,1795527808509);
INSERT INTO delivery (id,event_id,variant,event_type,client_id,sequence,endpoint_id,endpoint,url,target,status,cycle,attempt,crashes,last_attempt_ms,last_status_code,last_error,last_duration_ms,response_excerpt,delivered_ms,created_ms,updated_ms) VALUES
('01a20dcc-1670-713f-b21e-47c85d502d75','01a20dcc-1670-70fd-acce-63ccf3d174ab','','client.activated','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808645,204,'',1,'',1795527808646,1795527808623,1795527808646),
('01a20dcc-1670-7142-8c77-76253222b94d','01a20dcc-1670-70fd-acce-63ccf3d174ab','','client.activated','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808623,1795527913229),
('01a20dcc-1670-7143-8bd9-7d2e0c9aaf7a','01a20dcc-1670-70fd-acce-63ccf3d174ab','','client.activated','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808644,204,'',2,'',1795527808646,1795527808623,1795527808646),
('01a20dcc-1670-7144-9e1d-7cd39e609f82','01a20dcc-1670-70fd-acce-63ccf3d174ab','','client.activated','lnX_1Y2gkrXFEXqjURKnaZAggCPcCiaSRft7Xm9xuh8',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808643,204,'',1,'',1795527808644,1795527808623,1795527808644),
('01a20dcc-16b2-7299-b0ab-5b862d283268','01a20dcc-16b2-7245-a5d9-bed06f5ca5b3','','client.registered','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',0,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808773,204,'',2,'',1795527808775,1795527808688,1795527808775),
('01a20dcc-16b2-729b-9586-730a87702e52','01a20dcc-16b2-7245-a5d9-bed06f5ca5b3','','client.registered','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',0,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808688,1795527913229),
('01a20dcc-16b2-729e-bc29-a8f4c8fc9271','01a20dcc-16b2-7245-a5d9-bed06f5ca5b3','','client.registered','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',0,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808774,204,'',1,'',1795527808775,1795527808688,1795527808775),
('01a20dcc-16b2-729f-9893-ddef33e1122d','01a20dcc-16b2-7245-a5d9-bed06f5ca5b3','','client.registered','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',0,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808771,204,'',4,'',1795527808775,1795527808688,1795527808775),
('01a20dcc-16f5-7908-b6ce-d0f9ab763d8a','01a20dcc-16f5-7868-9406-feb9f15977c7','','client.failed','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808808,204,'',3,'',1795527808811,1795527808756,1795527808811),
('01a20dcc-16f5-790c-92a1-1e084e14b70c','01a20dcc-16f5-7868-9406-feb9f15977c7','','client.failed','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808756,1795527913229),
('01a20dcc-16f5-790e-9bcd-2040ea494847','01a20dcc-16f5-7868-9406-feb9f15977c7','','client.failed','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808808,204,'',3,'',1795527808811,1795527808756,1795527808811),
('01a20dcc-16f5-790f-a9df-9d647c394f2f','01a20dcc-16f5-7868-9406-feb9f15977c7','','client.failed','c9PqYBoAWO8vvAvGx8VIH4v0touuxvk16DhV72MOpFk',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808807,204,'',4,'',1795527808811,1795527808756,1795527808811),
('01a20dcc-173c-7e7b-b10e-0efd922330ce','01a20dcc-173c-7df2-945d-2a43f211c059','','client.failed','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808903,204,'',0,'',1795527808903,1795527808818,1795527808903),
('01a20dcc-173c-7e7e-bb93-f869c0e78efb','01a20dcc-173c-7df2-945d-2a43f211c059','','client.failed','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808818,1795527913229),
('01a20dcc-173c-7e9c-87b3-ab86ec726cb7','01a20dcc-173c-7df2-945d-2a43f211c059','','client.failed','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808902,204,'',1,'',1795527808903,1795527808818,1795527808903),
('01a20dcc-173c-7e9d-a2f6-f1f566167671','01a20dcc-173c-7df2-945d-2a43f211c059','','client.failed','eQLkZaWRcO_cbpcF1k3vlsveJRfmYPzgTW6yMlPtSeY',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808903,204,'',0,'',1795527808903,1795527808818,1795527808903),
('01a20dcc-1773-7170-a461-fcb8d6b3187f','01a20dcc-1773-70fd-8141-56628633dfd6','','client.registered','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',0,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527808950,204,'',10,'',1795527808960,1795527808881,1795527808960),
('01a20dcc-1773-7172-a89c-757fec96979a','01a20dcc-1773-70fd-8141-56628633dfd6','','client.registered','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',0,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527808881,1795527913229),
('01a20dcc-1773-7174-b5e0-2030cbd5b95b','01a20dcc-1773-70fd-8141-56628633dfd6','','client.registered','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',0,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527808950,204,'',10,'',1795527808960,1795527808881,1795527808960),
('01a20dcc-1773-7175-81db-3f9ee83913d9','01a20dcc-1773-70fd-8141-56628633dfd6','','client.registered','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',0,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527808950,204,'',10,'',1795527808960,1795527808881,1795527808960),
('01a20dcc-1840-75f7-ae3b-0699fa504207','01a20dcc-1840-759a-95c0-1d93076a1be5','','client.registered','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809131,204,'',0,'',1795527809131,1795527809087,1795527809131),
('01a20dcc-1840-75f9-ad6e-28dfc6720e43','01a20dcc-1840-759a-95c0-1d93076a1be5','','client.registered','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809087,1795527913229),
('01a20dcc-1840-75fa-be32-9b6c9ea8544e','01a20dcc-1840-759a-95c0-1d93076a1be5','','client.registered','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809131,204,'',1,'',1795527809132,1795527809087,1795527809132),
('01a20dcc-1840-75fb-ac0e-bb587b73596a','01a20dcc-1840-759a-95c0-1d93076a1be5','','client.registered','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809129,204,'',3,'',1795527809132,1795527809087,1795527809132),
('01a20dcc-1869-769f-86f3-9fc5694036c5','01a20dcc-1869-7647-af0a-baa5d97fd03e','','client.activated','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809204,204,'',2,'',1795527809206,1795527809128,1795527809206),
('01a20dcc-1869-76a1-a200-7f7f286e9f66','01a20dcc-1869-7647-af0a-baa5d97fd03e','','client.activated','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809128,1795527913229),
('01a20dcc-1869-76a3-817e-6af4bb05da9a','01a20dcc-1869-7647-af0a-baa5d97fd03e','','client.activated','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809204,204,'',2,'',1795527809206,1795527809128,1795527809206),
('01a20dcc-1869-76a4-b8a3-65cacccd1d01','01a20dcc-1869-7647-af0a-baa5d97fd03e','','client.activated','Z3vYn0BwJR_FNwbNYG7CtS1xaSaIjgKVayF--EBBs1A',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809204,204,'',2,'',1795527809206,1795527809128,1795527809206),
('01a20dcc-18a4-7740-ab18-04e78743bb7f','01a20dcc-18a4-76d0-82f4-0abcc6efe49c','','client.registered','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809304,204,'',4,'',1795527809308,1795527809187,1795527809308),
('01a20dcc-18a4-7742-93ff-dfa3beda6fe3','01a20dcc-18a4-76d0-82f4-0abcc6efe49c','','client.registered','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809187,1795527913229),
('01a20dcc-18a4-7744-801d-bd2dcd9427b1','01a20dcc-18a4-76d0-82f4-0abcc6efe49c','','client.registered','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809303,204,'',5,'',1795527809308,1795527809187,1795527809308),
('01a20dcc-18a4-7745-b7ad-6cbb78d20bb9','01a20dcc-18a4-76d0-82f4-0abcc6efe49c','','client.registered','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809304,204,'',4,'',1795527809308,1795527809187,1795527809308),
('01a20dcc-18ec-7823-8f7f-391209760b2a','01a20dcc-18ec-77bb-8845-5139777fc172','','client.activated','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809349,204,'',2,'',1795527809351,1795527809259,1795527809351),
('01a20dcc-18ec-7825-b00c-fcb2fb58c39d','01a20dcc-18ec-77bb-8845-5139777fc172','','client.activated','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809259,1795527913229),
('01a20dcc-18ec-7828-811a-1960bd240d35','01a20dcc-18ec-77bb-8845-5139777fc172','','client.activated','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809350,204,'',1,'',1795527809351,1795527809259,1795527809351),
('01a20dcc-18ec-7829-97e5-e22ce72d3973','01a20dcc-18ec-77bb-8845-5139777fc172','','client.activated','AdF5956IBVn8P89-7gbX7V19kVgikuQcB2WNUxVYY_Q',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809350,204,'',1,'',1795527809351,1795527809259,1795527809351),
('01a20dcc-1918-78d9-9b6d-c911a37d74c0','01a20dcc-1918-7872-bd8d-f311f6d43dcd','','client.registered','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809371,204,'',2,'',1795527809373,1795527809304,1795527809373),
('01a20dcc-1918-78dd-8730-568e89842410','01a20dcc-1918-7872-bd8d-f311f6d43dcd','','client.registered','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809304,1795527913229),
('01a20dcc-1918-78df-b1ac-68ca95bbbb10','01a20dcc-1918-7872-bd8d-f311f6d43dcd','','client.registered','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809372,204,'',1,'',1795527809373,1795527809304,1795527809373),
('01a20dcc-1918-78e0-9c54-617bdca04e3c','01a20dcc-1918-7872-bd8d-f311f6d43dcd','','client.registered','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809372,204,'',1,'',1795527809373,1795527809304,1795527809373),
('01a20dcc-1943-78a9-8bbf-50d8e09717d7','01a20dcc-1943-784d-b984-0852fd865b9f','','client.activated','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527809456,204,'',1,'',1795527809457,1795527809346,1795527809457),
('01a20dcc-1943-78ab-be28-7837d2d435c5','01a20dcc-1943-784d-b984-0852fd865b9f','','client.activated','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527809346,1795527913229),
('01a20dcc-1943-78ae-a31d-ebdd3e4c875a','01a20dcc-1943-784d-b984-0852fd865b9f','','client.activated','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527809456,204,'',1,'',1795527809457,1795527809346,1795527809457),
('01a20dcc-1943-78af-971a-851451fa9171','01a20dcc-1943-784d-b984-0852fd865b9f','','client.activated','d5WrCAaKcGYuafCTHMnVExZlKaJrJ85aYPmO7IHIWLQ',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527809456,204,'',1,'',1795527809457,1795527809346,1795527809457),
('01a20dcd-5df7-7a09-aafe-cfe79017536e','01a20dcd-5df7-7962-b945-e16264bade33','','client.registered','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527892558,204,'',4,'',1795527892562,1795527892448,1795527892562),
('01a20dcd-5df7-7a0f-a29d-119cd74fbb9f','01a20dcd-5df7-7962-b945-e16264bade33','','client.registered','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',1,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527892448,1795527913229),
('01a20dcd-5df7-7a11-a962-6395fe3159e6','01a20dcd-5df7-7962-b945-e16264bade33','','client.registered','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527892558,204,'',4,'',1795527892562,1795527892448,1795527892562),
('01a20dcd-5df7-7a13-853f-28b999cb578b','01a20dcd-5df7-7962-b945-e16264bade33','','client.registered','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527892558,204,'',4,'',1795527892562,1795527892448,1795527892562),
('01a20dcd-5e41-7227-a906-6d03e7ab68dd','01a20dcd-5e41-70b1-8135-bd0c22c4b799','','client.activated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527892593,204,'',0,'',1795527892593,1795527892544,1795527892593),
('01a20dcd-5e41-722a-8184-f11bd076d180','01a20dcd-5e41-70b1-8135-bd0c22c4b799','','client.activated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',2,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527892544,1795527913229),
('01a20dcd-5e41-722b-8210-5e18bbf7a42c','01a20dcd-5e41-70b1-8135-bd0c22c4b799','','client.activated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527892593,204,'',0,'',1795527892593,1795527892544,1795527892593),
('01a20dcd-5e41-722c-9e4e-fe04579f424d','01a20dcd-5e41-70b1-8135-bd0c22c4b799','','client.activated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527892593,204,'',0,'',1795527892593,1795527892544,1795527892593),
('01a20dcd-5e9d-7add-9d10-1af5b96d0d0c','01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','client.deactivated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',3,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527892718,204,'',4,'',1795527892722,1795527892636,1795527892722),
('01a20dcd-5e9d-7ae0-ac40-0e43c7b83fb6','01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','client.deactivated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',3,'01a20dcc-0ca5-7d46-9309-885aa44313d3','busy','http://127.0.0.1:18476/busy','01a20dcc-0ca5-7d46-9309-885aa44313d3','cancelled',1,0,0,0,0,'',0,'',0,1795527892636,1795527913229),
('01a20dcd-5e9d-7ae2-949f-db6081acc2c6','01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','client.deactivated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',3,'01a20dcc-0cc7-7591-8346-6dbb79fbfd79','slow','http://127.0.0.1:18476/slow','01a20dcc-0cc7-7591-8346-6dbb79fbfd79','sending',1,0,1,0,0,'',0,'',0,1795527892636,1795527892636),
('01a20dcd-5e9d-7ae3-8063-c4b39fa4d077','01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','client.deactivated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',3,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527892718,204,'',1,'',1795527892719,1795527892636,1795527892719),
('01a20dcd-5e9d-7ae5-be42-2a18184cdab3','01a20dcd-5e9d-7a4b-bae6-b7cf3992a23f','','client.deactivated','AtDiIOUpbqUQKN_qgiLKAWMPYq-KqYaDE2_C1bAmyuU',3,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527892718,204,'',4,'',1795527892722,1795527892636,1795527892722),
('01a20dcd-af73-7ac6-9124-ce92c733f17e','01a20dcd-af73-7a70-9291-2532e4d70c7f','','client.registered','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg',1,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527913536,204,'',3,'',1795527913539,1795527913330,1795527913539),
('01a20dcd-af73-7aca-8242-c87d6a89ab76','01a20dcd-af73-7a70-9291-2532e4d70c7f','','client.registered','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg',1,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527913537,204,'',1,'',1795527913538,1795527913330,1795527913538),
('01a20dcd-af73-7acb-b457-846f2fe7c852','01a20dcd-af73-7a70-9291-2532e4d70c7f','','client.registered','rhE7sSnbn96vJNhz2LpKKzUjW1LECbLKX3fOmuapSFg',1,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527913535,204,'',4,'',1795527913539,1795527913330,1795527913539),
('01a20dcd-b130-7bcb-97cd-a5201dcfc030','01a20dcd-b130-7b76-ab94-bf8f58bf45cd','','client.registered','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs',0,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527913850,204,'',26,'',1795527913876,1795527913775,1795527913876),
('01a20dcd-b130-7bcf-b49e-99a13cb3513c','01a20dcd-b130-7b76-ab94-bf8f58bf45cd','','client.registered','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs',0,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527913851,204,'',26,'',1795527913877,1795527913775,1795527913877),
('01a20dcd-b130-7bd0-bee6-782f5d55fbf2','01a20dcd-b130-7b76-ab94-bf8f58bf45cd','','client.registered','8oNiovIaVMAfpSHkIvQSJLagwDpJ-SCB8JNkItxSdvs',0,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527913849,204,'',1,'',1795527913850,1795527913775,1795527913850),
('01a20dcd-b211-76b4-9dd3-d05dd458b704','01a20dcd-b211-7653-a195-d20163a3c7f2','','client.failed','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',2,'01a20dcc-0c87-747e-877f-935679de29d6','ok','http://127.0.0.1:18476/ok','01a20dcc-0c87-747e-877f-935679de29d6','delivered',1,1,0,1795527914461,204,'',42,'',1795527914503,1795527913999,1795527914503),
('01a20dcd-b211-76ba-9aa7-ba8e1c5b05f5','01a20dcd-b211-7653-a195-d20163a3c7f2','','client.failed','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',2,'01a20dcc-0cd9-7b52-bd47-992f62bc809e','v1a','http://127.0.0.1:18476/ok','01a20dcc-0cd9-7b52-bd47-992f62bc809e','delivered',1,1,0,1795527914462,204,'',41,'',1795527914503,1795527913999,1795527914503),
('01a20dcd-b211-76cc-b20a-c9f725d7fe75','01a20dcd-b211-7653-a195-d20163a3c7f2','','client.failed','_Dbek0tShGyHKEJAy_exDdLWKHUWhsl5GPGdVTNUIrM',2,'01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','both','http://127.0.0.1:18476/ok','01a20dcc-0ce7-7dc1-bae5-4b0bf45919fb','delivered',1,1,0,1795527914462,204,'',41,'',1795527914503,1795527913999,1795527914503);
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
('01a20dcc-0f75-7ac8-8b5a-322b93e33963','01a20dcc-0cc7-7591-8346-6dbb79fbfd79',1795528204433,1,2,'',0),
('01a20dcc-0ed0-7257-9fd5-3ac96db945dc','01a20dcc-0cc7-7591-8346-6dbb79fbfd79',1795528217429,1,2,'',0),
('01a20dcd-5e9d-7ae2-949f-db6081acc2c6','01a20dcc-0cc7-7591-8346-6dbb79fbfd79',1795527892636,1,2,'01a20dcd-612c-7eba-8182-04b72ac3e1fe',1795527913143);
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
('01a20dcc-0d8a-709c-a2bf-f49b2f7907e9',1,1,1,1795527806400,1795527806403,'delivered',204,'',''),
('01a20dcc-0d8a-7097-93c9-d20092d2bcfc',1,1,1,1795527806399,1795527806409,'delivered',204,'',''),
('01a20dcc-0d8a-709a-8e31-ba52215dc286',1,1,1,1795527806399,1795527806409,'failed',503,'status 503',''),
('01a20dcc-0d8a-709d-9805-c9b273a806fa',1,1,1,1795527806398,1795527806409,'delivered',204,'',''),
('01a20dcc-0dcc-761f-9988-f65f962b1aac',1,1,1,1795527806493,1795527806499,'delivered',204,'',''),
('01a20dcc-0dcc-7623-804a-a52e6ef13ff0',1,1,1,1795527806498,1795527806510,'failed',503,'status 503',''),
('01a20dcc-0dcc-762a-8a24-8a7fae94cbc1',1,1,1,1795527806499,1795527806510,'delivered',204,'',''),
('01a20dcc-0dcc-7625-b80a-c8c1321ced2e',1,1,1,1795527806499,1795527806510,'failed',410,'status 410',''),
('01a20dcc-0dcc-7629-ab0f-948803db9c18',1,1,1,1795527806498,1795527806510,'delivered',204,'',''),
('01a20dcc-0e13-721e-b46f-d3882cafd4e4',1,1,1,1795527806589,1795527806590,'delivered',204,'',''),
('01a20dcc-0e13-721c-8a9a-3a0cc6ed496f',1,1,1,1795527806588,1795527806590,'failed',503,'status 503',''),
('01a20dcc-0e13-721d-9dac-c6bb42a703f4',1,1,1,1795527806589,1795527806590,'delivered',204,'',''),
('01a20dcc-0e13-7218-8e1f-b69614a3fbd7',1,1,1,1795527806588,1795527806590,'delivered',204,'',''),
('01a20dcc-0e51-790a-8796-4062c3192de9',1,1,1,1795527806672,1795527806673,'delivered',204,'',''),
('01a20dcc-0e51-78f2-b2aa-636ed7df839b',1,1,1,1795527806671,1795527806673,'delivered',204,'',''),
('01a20dcc-0e51-78f5-8151-5fa21f8f8a0c',1,1,1,1795527806672,1795527806673,'failed',503,'status 503',''),
('01a20dcc-0e51-790b-976b-c11d7fff4385',1,1,1,1795527806672,1795527806673,'delivered',204,'',''),
('01a20dcc-0ed0-7259-be1b-4069c70528f3',1,1,1,1795527806814,1795527806827,'delivered',204,'',''),
('01a20dcc-0f12-79ba-ada1-04c4e2f8e764',1,1,1,1795527806792,1795527806793,'delivered',204,'',''),
('01a20dcc-0f12-79d5-9590-20e3d1760907',1,1,1,1795527806793,1795527806797,'delivered',204,'',''),
('01a20dcc-0f12-79bd-b007-e4e1636d8e9a',1,1,1,1795527806793,1795527806797,'failed',503,'status 503',''),
('01a20dcc-0f12-79d6-b018-4840fe414dd8',1,1,1,1795527806793,1795527806797,'delivered',204,'',''),
('01a20dcc-0ed0-7251-8ea1-293a96c17d96',1,1,1,1795527806814,1795527806827,'delivered',204,'',''),
('01a20dcc-0ed0-7255-9e2a-f09738527857',1,1,1,1795527806814,1795527806827,'failed',503,'status 503',''),
('01a20dcc-0ed0-725b-83c4-7fa2b6bfa564',1,1,1,1795527806814,1795527806827,'delivered',204,'',''),
('01a20dcc-0f58-7a27-b6e7-5673b52cb09f',1,1,1,1795527806878,1795527806878,'delivered',204,'',''),
('01a20dcc-0f58-7a25-8a5c-929bcfd8c164',1,1,1,1795527806878,1795527806878,'failed',503,'status 503',''),
('01a20dcc-0f58-7a22-8700-f1584e943f13',1,1,1,1795527806877,1795527806878,'delivered',204,'',''),
('01a20dcc-0f58-7a28-a745-1c0971c75657',1,1,1,1795527806878,1795527806878,'delivered',204,'',''),
('01a20dcc-0f75-7aca-a6bd-4e047837c731',1,1,1,1795527806882,1795527806892,'delivered',204,'',''),
('01a20dcc-0f75-7ac4-87a5-3035ed238488',1,1,1,1795527806882,1795527806892,'delivered',204,'',''),
('01a20dcc-0f75-7ac7-a797-2af7eccb14de',1,1,1,1795527806882,1795527806893,'failed',503,'status 503',''),
('01a20dcc-0f75-7acb-9e8a-c58b053fafdc',1,1,1,1795527806883,1795527806893,'delivered',204,'',''),
('01a20dcc-0fed-75ad-99bf-5334e5b2fdea',1,1,1,1795527807045,1795527807046,'delivered',204,'',''),
('01a20dcc-0fed-75a8-a89d-3b02b8a562ac',1,1,1,1795527807044,1795527807046,'delivered',204,'',''),
('01a20dcc-0fed-75af-a075-83fcc79ee054',1,1,1,1795527807045,1795527807046,'delivered',204,'',''),
('01a20dcc-1021-7981-974b-d052185fe073',1,1,1,1795527807085,1795527807086,'delivered',204,'',''),
('01a20dcc-1021-7983-9181-cb922c6921e3',1,1,1,1795527807085,1795527807086,'delivered',204,'',''),
('01a20dcc-1021-797c-a37b-3bf443fe6c69',1,1,1,1795527807085,1795527807086,'delivered',204,'',''),
('01a20dcc-1087-740e-82fe-e71c96ca9d49',1,1,1,1795527807172,1795527807184,'delivered',204,'',''),
('01a20dcc-1087-7413-98a9-12234252f151',1,1,1,1795527807173,1795527807184,'delivered',204,'',''),
('01a20dcc-1087-7412-987f-cd0b1a047781',1,1,1,1795527807173,1795527807184,'delivered',204,'',''),
('01a20dcc-1092-7d55-8d57-9eb5d1d6a420',1,1,1,1795527807173,1795527807184,'delivered',204,'',''),
('01a20dcc-1092-7d5d-8604-bd1bb14a029a',1,1,1,1795527807174,1795527807186,'delivered',204,'',''),
('01a20dcc-1092-7d5c-a60e-bdd1121db453',1,1,1,1795527807173,1795527807186,'delivered',204,'',''),
('01a20dcc-10ad-70ed-bd85-5aae9d89fd45',1,1,1,1795527807244,1795527807252,'delivered',204,'',''),
('01a20dcc-10ad-70e6-85e6-13928d95ef91',1,1,1,1795527807242,1795527807252,'delivered',204,'',''),
('01a20dcc-10ad-70ee-a8ad-6d887dad7c62',1,1,1,1795527807245,1795527807252,'delivered',204,'',''),
('01a20dcc-10f7-75ca-82a9-40d9c277501a',1,1,1,1795527807290,1795527807292,'delivered',204,'',''),
('01a20dcc-10f7-75c6-8f55-9da88d9a4b58',1,1,1,1795527807290,1795527807292,'delivered',204,'',''),
('01a20dcc-10f7-75cd-8695-eadce7064f41',1,1,1,1795527807290,1795527807292,'delivered',204,'',''),
('01a20dcc-1135-72b0-baa8-65788a8057c6',1,1,1,1795527807391,1795527807392,'delivered',204,'',''),
('01a20dcc-1135-72e8-a5e2-f8d87d0ea2f5',1,1,1,1795527807391,1795527807392,'delivered',204,'',''),
('01a20dcc-1135-72b7-8033-23c2eee71e08',1,1,1,1795527807389,1795527807392,'delivered',204,'',''),
('01a20dcc-1171-7af4-b1ec-d47dcb450a21',1,1,1,1795527807418,1795527807421,'delivered',204,'',''),
('01a20dcc-1171-7afc-9664-6776de69e277',1,1,1,1795527807417,1795527807421,'delivered',204,'',''),
('01a20dcc-1171-7afb-9ae8-f520849947b4',1,1,1,1795527807418,1795527807421,'delivered',204,'',''),
('01a20dcc-12dd-79e4-ad3d-c10428b7dc84',1,1,1,1795527807757,1795527807764,'delivered',204,'',''),
('01a20dcc-12dd-79e6-945f-274eddec122f',1,1,1,1795527807756,1795527807764,'delivered',204,'',''),
('01a20dcc-12dd-79c8-a4dd-2045764ef816',1,1,1,1795527807757,1795527807766,'delivered',204,'',''),
('01a20dcc-1329-7093-8442-1e6b855842c7',1,1,1,1795527807841,1795527807846,'delivered',204,'',''),
('01a20dcc-1329-709b-8997-910a4d524785',1,1,1,1795527807841,1795527807846,'delivered',204,'',''),
('01a20dcc-1329-7098-93c4-d6b37c699fe6',1,1,1,1795527807841,1795527807846,'delivered',204,'',''),
('01a20dcc-13bd-76a0-9cef-292c9e3aec5a',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-13a3-76fd-9988-85df7e993628',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-13a3-7702-a82b-118ed8c51c63',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-13a3-7705-b93a-6833a35205aa',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-13bd-769a-b4d1-3558d6794175',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-13bd-76b7-a6db-41eb90571d05',1,1,1,1795527808003,1795527808005,'delivered',204,'',''),
('01a20dcc-1460-7152-aa92-8a6158b8edd9',1,1,1,1795527808119,1795527808120,'delivered',204,'',''),
('01a20dcc-1460-7156-82f5-30acb6754b85',1,1,1,1795527808117,1795527808120,'delivered',204,'',''),
('01a20dcc-1460-7155-80f9-2f80ae5b7cb8',1,1,1,1795527808119,1795527808120,'delivered',204,'',''),
('01a20dcc-1476-7796-8d74-2f93985f2ebf',1,1,1,1795527808203,1795527808207,'delivered',204,'',''),
('01a20dcc-1476-7793-a949-90c5b4ce47a7',1,1,1,1795527808203,1795527808207,'delivered',204,'',''),
('01a20dcc-1476-7799-8847-4dd2dc0dfad6',1,1,1,1795527808204,1795527808207,'delivered',204,'',''),
('01a20dcc-14b5-749d-8635-b1ffde10ec52',1,1,1,1795527808267,1795527808269,'delivered',204,'',''),
('01a20dcc-14b5-749f-802a-748272d28065',1,1,1,1795527808267,1795527808269,'delivered',204,'',''),
('01a20dcc-14b5-7498-825e-d8720e2cfa1d',1,1,1,1795527808268,1795527808269,'delivered',204,'',''),
('01a20dcc-15b7-7881-aa99-f6d58b4fe814',1,1,1,1795527808494,1795527808509,'delivered',204,'',''),
('01a20dcc-15b7-7880-86ae-e46935b7f237',1,1,1,1795527808495,1795527808509,'delivered',204,'',''),
('01a20dcc-15b7-787b-b9f3-92c4207e2527',1,1,1,1795527808495,1795527808509,'delivered',204,'',''),
('01a20dcc-1670-7144-9e1d-7cd39e609f82',1,1,1,1795527808643,1795527808644,'delivered',204,'',''),
('01a20dcc-1670-713f-b21e-47c85d502d75',1,1,1,1795527808645,1795527808646,'delivered',204,'',''),
('01a20dcc-1670-7143-8bd9-7d2e0c9aaf7a',1,1,1,1795527808644,1795527808646,'delivered',204,'',''),
('01a20dcc-16b2-729e-bc29-a8f4c8fc9271',1,1,1,1795527808774,1795527808775,'delivered',204,'',''),
('01a20dcc-16b2-7299-b0ab-5b862d283268',1,1,1,1795527808773,1795527808775,'delivered',204,'',''),
('01a20dcc-16b2-729f-9893-ddef33e1122d',1,1,1,1795527808771,1795527808775,'delivered',204,'',''),
('01a20dcc-16f5-7908-b6ce-d0f9ab763d8a',1,1,1,1795527808808,1795527808811,'delivered',204,'',''),
('01a20dcc-16f5-790f-a9df-9d647c394f2f',1,1,1,1795527808807,1795527808811,'delivered',204,'',''),
('01a20dcc-16f5-790e-9bcd-2040ea494847',1,1,1,1795527808808,1795527808811,'delivered',204,'',''),
('01a20dcc-173c-7e7b-b10e-0efd922330ce',1,1,1,1795527808903,1795527808903,'delivered',204,'',''),
('01a20dcc-173c-7e9c-87b3-ab86ec726cb7',1,1,1,1795527808902,1795527808903,'delivered',204,'',''),
('01a20dcc-173c-7e9d-a2f6-f1f566167671',1,1,1,1795527808903,1795527808903,'delivered',204,'',''),
('01a20dcc-1773-7170-a461-fcb8d6b3187f',1,1,1,1795527808950,1795527808960,'delivered',204,'',''),
('01a20dcc-1773-7174-b5e0-2030cbd5b95b',1,1,1,1795527808950,1795527808960,'delivered',204,'',''),
('01a20dcc-1773-7175-81db-3f9ee83913d9',1,1,1,1795527808950,1795527808960,'delivered',204,'',''),
('01a20dcc-1840-75f7-ae3b-0699fa504207',1,1,1,1795527809131,1795527809131,'delivered',204,'',''),
('01a20dcc-1840-75fb-ac0e-bb587b73596a',1,1,1,1795527809129,1795527809132,'delivered',204,'',''),
('01a20dcc-1840-75fa-be32-9b6c9ea8544e',1,1,1,1795527809131,1795527809132,'delivered',204,'',''),
('01a20dcc-1869-76a3-817e-6af4bb05da9a',1,1,1,1795527809204,1795527809206,'delivered',204,'','');
INSERT INTO delivery_attempt (delivery_id,cycle,seq,number,started_ms,finished_ms,outcome,status_code,error,excerpt) VALUES
('01a20dcc-1869-769f-86f3-9fc5694036c5',1,1,1,1795527809204,1795527809206,'delivered',204,'',''),
('01a20dcc-1869-76a4-b8a3-65cacccd1d01',1,1,1,1795527809204,1795527809206,'delivered',204,'',''),
('01a20dcc-18a4-7745-b7ad-6cbb78d20bb9',1,1,1,1795527809304,1795527809308,'delivered',204,'',''),
('01a20dcc-18a4-7744-801d-bd2dcd9427b1',1,1,1,1795527809303,1795527809308,'delivered',204,'',''),
('01a20dcc-18a4-7740-ab18-04e78743bb7f',1,1,1,1795527809304,1795527809308,'delivered',204,'',''),
('01a20dcc-18ec-7828-811a-1960bd240d35',1,1,1,1795527809350,1795527809351,'delivered',204,'',''),
('01a20dcc-18ec-7823-8f7f-391209760b2a',1,1,1,1795527809349,1795527809351,'delivered',204,'',''),
('01a20dcc-18ec-7829-97e5-e22ce72d3973',1,1,1,1795527809350,1795527809351,'delivered',204,'',''),
('01a20dcc-1918-78df-b1ac-68ca95bbbb10',1,1,1,1795527809372,1795527809373,'delivered',204,'',''),
('01a20dcc-1918-78d9-9b6d-c911a37d74c0',1,1,1,1795527809371,1795527809373,'delivered',204,'',''),
('01a20dcc-1918-78e0-9c54-617bdca04e3c',1,1,1,1795527809372,1795527809373,'delivered',204,'',''),
('01a20dcc-1943-78ae-a31d-ebdd3e4c875a',1,1,1,1795527809456,1795527809457,'delivered',204,'',''),
('01a20dcc-1943-78a9-8bbf-50d8e09717d7',1,1,1,1795527809456,1795527809457,'delivered',204,'',''),
('01a20dcc-1943-78af-971a-851451fa9171',1,1,1,1795527809456,1795527809457,'delivered',204,'',''),
('01a20dcc-0ed0-7257-9fd5-3ac96db945dc',1,1,1,1795527806793,1795527816794,'failed',0,'timeout',''),
('01a20dcc-0f75-7ac8-8b5a-322b93e33963',1,1,1,1795527806882,1795527816885,'failed',0,'timeout',''),
('01a20dcc-0fed-75ab-914f-a1ef5b34e767',1,1,1,1795527837050,1795527837053,'failed',503,'status 503',''),
('01a20dcc-0f75-7ac8-8b5a-322b93e33963',1,2,2,1795527882425,1795527892427,'failed',0,'timeout',''),
('01a20dcc-0ed0-7257-9fd5-3ac96db945dc',1,2,2,1795527882425,1795527892429,'failed',0,'timeout',''),
('01a20dcd-5df7-7a13-853f-28b999cb578b',1,1,1,1795527892558,1795527892562,'delivered',204,'',''),
('01a20dcd-5df7-7a09-aafe-cfe79017536e',1,1,1,1795527892558,1795527892562,'delivered',204,'',''),
('01a20dcd-5df7-7a11-a962-6395fe3159e6',1,1,1,1795527892558,1795527892562,'delivered',204,'',''),
('01a20dcd-5e41-722c-9e4e-fe04579f424d',1,1,1,1795527892593,1795527892593,'delivered',204,'',''),
('01a20dcd-5e41-7227-a906-6d03e7ab68dd',1,1,1,1795527892593,1795527892593,'delivered',204,'',''),
('01a20dcd-5e41-722b-8210-5e18bbf7a42c',1,1,1,1795527892593,1795527892593,'delivered',204,'',''),
('01a20dcd-5e9d-7ae3-8063-c4b39fa4d077',1,1,1,1795527892718,1795527892719,'delivered',204,'',''),
('01a20dcd-5e9d-7add-9d10-1af5b96d0d0c',1,1,1,1795527892718,1795527892722,'delivered',204,'',''),
('01a20dcd-5e9d-7ae5-be42-2a18184cdab3',1,1,1,1795527892718,1795527892722,'delivered',204,'',''),
('01a20dcc-1021-797f-b2d1-133122ee1510',1,1,1,1795527897573,1795527897574,'failed',503,'status 503',''),
('01a20dcd-5e9d-7ae2-949f-db6081acc2c6',1,1,NULL,1795527892705,1795527913143,'unknown',0,'the worker stopped before it saved a result',''),
('01a20dcd-af73-7aca-8242-c87d6a89ab76',1,1,1,1795527913537,1795527913538,'delivered',204,'',''),
('01a20dcd-af73-7ac6-9124-ce92c733f17e',1,1,1,1795527913536,1795527913539,'delivered',204,'',''),
('01a20dcd-af73-7acb-b457-846f2fe7c852',1,1,1,1795527913535,1795527913539,'delivered',204,'',''),
('01a20dcd-b130-7bd0-bee6-782f5d55fbf2',1,1,1,1795527913849,1795527913850,'delivered',204,'',''),
('01a20dcd-b130-7bcb-97cd-a5201dcfc030',1,1,1,1795527913850,1795527913876,'delivered',204,'',''),
('01a20dcd-b130-7bcf-b49e-99a13cb3513c',1,1,1,1795527913851,1795527913877,'delivered',204,'',''),
('01a20dcd-b211-76cc-b20a-c9f725d7fe75',1,1,1,1795527914462,1795527914503,'delivered',204,'',''),
('01a20dcd-b211-76b4-9dd3-d05dd458b704',1,1,1,1795527914461,1795527914503,'delivered',204,'',''),
('01a20dcd-b211-76ba-9aa7-ba8e1c5b05f5',1,1,1,1795527914462,1795527914503,'delivered',204,'','');
CREATE TABLE service_key (
  name text PRIMARY KEY,
  key  text NOT NULL -- base64
);
INSERT INTO service_key (name,key) VALUES
('cursor','7dLemqfNFwJWRAEQaguqcdkhQmUBs4PZJzOeral/LHg=');
CREATE TABLE process (
  id         text PRIMARY KEY,
  host       text NOT NULL,
  version    text NOT NULL,
  started_ms integer NOT NULL,
  seen_ms    integer NOT NULL
);
INSERT INTO process (id,host,version,started_ms,seen_ms) VALUES
('01a20dcc-0bf2-70cd-a58e-000134fdcb6e','vm','dev',1795527805938,1795527891987),
('01a20dcd-612c-7eba-8182-04b72ac3e1fe','vm','dev',1795527893293,1795527915460);
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
