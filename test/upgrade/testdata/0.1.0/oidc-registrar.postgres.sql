SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.refuse_catalog_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'catalog_event is insert only';
END $$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'client_event is insert only';
END $$;

CREATE FUNCTION public.refuse_unpurged() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF OLD.kind <> 'purged'
    AND OLD.seq <= (SELECT max(t.purged_to) FROM client_event t WHERE t.kind = 'purged')
    AND (OLD.kind = 'refused' OR NOT EXISTS (SELECT FROM client c WHERE c.id = OLD.client_id)) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'client_event is insert only, but for a purge';
END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.approval (
    client_id text NOT NULL,
    revision bigint NOT NULL,
    state text NOT NULL,
    kind text NOT NULL,
    wanted text NOT NULL,
    policy text NOT NULL,
    requester text NOT NULL,
    title text NOT NULL,
    context text NOT NULL,
    request_id text NOT NULL,
    context_hash text NOT NULL,
    words text NOT NULL,
    asked_ms bigint NOT NULL,
    due_ms bigint NOT NULL,
    attempts bigint NOT NULL,
    CONSTRAINT approval_kind_check CHECK ((kind = ANY (ARRAY['register'::text, 'update'::text]))),
    CONSTRAINT approval_state_check CHECK ((state = ANY (ARRAY['asking'::text, 'waiting'::text, 'granted'::text, 'denied'::text, 'withdrawing'::text, 'withdrawn'::text])))
);

CREATE TABLE public.catalog_event (
    seq bigint NOT NULL,
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    kind text NOT NULL,
    actor text NOT NULL,
    at_ms bigint NOT NULL,
    changed text NOT NULL,
    call_id text NOT NULL,
    traceparent text NOT NULL
);

ALTER TABLE public.catalog_event ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.catalog_event_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.client (
    id text NOT NULL,
    door text NOT NULL,
    name text NOT NULL,
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    key_thumbprint text NOT NULL,
    key_jwk text NOT NULL,
    key_id text NOT NULL,
    former_thumbprint text NOT NULL,
    former_jwk text NOT NULL,
    former_id text NOT NULL,
    user_claims text NOT NULL,
    acrs text NOT NULL,
    logo_uri text NOT NULL,
    redirect_uris text NOT NULL,
    grant_types text NOT NULL,
    auth_methods text NOT NULL,
    extensions text NOT NULL,
    status text NOT NULL,
    final boolean NOT NULL,
    provider_client_id text NOT NULL,
    doubtful boolean NOT NULL,
    failure_reason text NOT NULL,
    failure_provider_code text NOT NULL,
    failure_message text NOT NULL,
    created_by text NOT NULL,
    created_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    rev bigint NOT NULL,
    CONSTRAINT client_door_check CHECK ((door = ANY (ARRAY['partner'::text, 'provider'::text]))),
    CONSTRAINT client_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text, 'PENDING'::text, 'FAILED'::text])))
);

CREATE TABLE public.client_event (
    seq bigint NOT NULL,
    client_id text NOT NULL,
    kind text NOT NULL,
    actor text NOT NULL,
    at_ms bigint NOT NULL,
    changed text NOT NULL,
    flags text NOT NULL,
    reason text NOT NULL,
    provider_code text NOT NULL,
    provider_client_id text DEFAULT ''::text NOT NULL,
    words text DEFAULT ''::text NOT NULL,
    ignored text DEFAULT '[]'::text NOT NULL,
    call_id text DEFAULT ''::text NOT NULL,
    traceparent text DEFAULT ''::text NOT NULL,
    purged bigint DEFAULT 0 NOT NULL,
    purged_to bigint DEFAULT 0 NOT NULL
);

ALTER TABLE public.client_event ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.client_event_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.client_key (
    thumbprint text NOT NULL,
    client_id text NOT NULL
);

CREATE TABLE public.delivery (
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    variant text NOT NULL,
    event_type text NOT NULL,
    client_id text,
    sequence bigint NOT NULL,
    endpoint_id uuid,
    endpoint text NOT NULL,
    url text NOT NULL,
    target text NOT NULL,
    status text NOT NULL,
    rare_status text GENERATED ALWAYS AS (
CASE
    WHEN (status = ANY (ARRAY['failed'::text, 'cancelled'::text])) THEN status
    ELSE NULL::text
END) STORED,
    cycle integer NOT NULL,
    attempt integer NOT NULL,
    crashes integer NOT NULL,
    last_attempt_ms bigint NOT NULL,
    last_status_code integer NOT NULL,
    last_error text NOT NULL,
    last_duration_ms bigint NOT NULL,
    response_excerpt text NOT NULL,
    delivered_ms bigint NOT NULL,
    created_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    CONSTRAINT delivery_status_check CHECK ((status = ANY (ARRAY['sending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE public.delivery_attempt (
    delivery_id uuid NOT NULL,
    cycle integer NOT NULL,
    seq integer NOT NULL,
    n integer,
    started_ms bigint NOT NULL,
    finished_ms bigint NOT NULL,
    outcome text NOT NULL,
    status_code integer NOT NULL,
    error text NOT NULL,
    excerpt text NOT NULL,
    CONSTRAINT delivery_attempt_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'unknown'::text])))
);

CREATE TABLE public.difference (
    client_id text NOT NULL,
    kind text NOT NULL,
    fields text NOT NULL,
    found_ms bigint NOT NULL,
    CONSTRAINT difference_kind_check CHECK ((kind = ANY (ARRAY['missing'::text, 'changed'::text, 'locked'::text])))
);

CREATE TABLE public.endpoint (
    id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    format text NOT NULL,
    events text NOT NULL,
    policy_keys text NOT NULL,
    include text NOT NULL,
    signature text NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text NOT NULL,
    disabled_ms bigint NOT NULL,
    sealed text NOT NULL,
    hint text NOT NULL,
    public_key text NOT NULL,
    previous_sealed text NOT NULL,
    previous_hint text NOT NULL,
    previous_public text NOT NULL,
    previous_until_ms bigint NOT NULL,
    failures integer NOT NULL,
    failing_since_ms bigint NOT NULL,
    paused_until_ms bigint NOT NULL,
    created_by text NOT NULL,
    created_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    rev bigint NOT NULL,
    CONSTRAINT endpoint_signature_check CHECK ((signature = ANY (ARRAY['v1'::text, 'v1a'::text, 'both'::text])))
);

CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idp_call (
    client_id text NOT NULL,
    kind text NOT NULL,
    wanted text NOT NULL,
    actor text NOT NULL,
    attempts bigint NOT NULL,
    due_ms bigint NOT NULL,
    token text NOT NULL,
    sent boolean NOT NULL,
    ours boolean NOT NULL,
    owner text NOT NULL,
    CONSTRAINT idp_call_kind_check CHECK ((kind = ANY (ARRAY['register'::text, 'update'::text, 'remove'::text, 'read'::text])))
);

CREATE TABLE public.initial_token (
    hash text NOT NULL,
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    uses bigint NOT NULL,
    expires_ms bigint NOT NULL,
    issued_by text NOT NULL,
    CONSTRAINT initial_token_uses_check CHECK ((uses >= 0))
);

CREATE TABLE public.message (
    event_id uuid NOT NULL,
    variant text NOT NULL,
    payload text NOT NULL,
    traceparent text NOT NULL
);

CREATE TABLE public.outbox (
    id uuid NOT NULL,
    lane text NOT NULL,
    next_attempt_ms bigint NOT NULL,
    cycle integer NOT NULL,
    lease_token bigint NOT NULL,
    lease_owner text NOT NULL,
    leased_ms bigint NOT NULL
)
WITH (fillfactor='60', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

CREATE TABLE public.partner (
    id text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    logo_uri text NOT NULL,
    CONSTRAINT partner_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text])))
);

CREATE TABLE public.partner_policy (
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    status text NOT NULL,
    CONSTRAINT partner_policy_status_check CHECK ((status = ANY (ARRAY['APPROVED'::text, 'REVOKED'::text])))
);

CREATE TABLE public.policy (
    id text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    user_claims text NOT NULL,
    acrs text NOT NULL,
    mandatory_auth_types text NOT NULL,
    approval_policy text NOT NULL,
    CONSTRAINT policy_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text])))
);

CREATE TABLE public.process (
    id text NOT NULL,
    host text NOT NULL,
    version text NOT NULL,
    started_ms bigint NOT NULL,
    seen_ms bigint NOT NULL
);

CREATE TABLE public.provider_record (
    client_id text NOT NULL,
    provider_client_id text NOT NULL,
    uri text NOT NULL,
    access_token text NOT NULL
);

CREATE TABLE public.reconciliation (
    name text NOT NULL,
    after_id text NOT NULL,
    begun_ms bigint NOT NULL,
    ended_ms bigint NOT NULL
);

CREATE TABLE public.registration_token (
    hash text NOT NULL,
    client_id text NOT NULL
);

CREATE TABLE public.service_key (
    name text NOT NULL,
    key text NOT NULL
);

CREATE TABLE public.write_probe (
    id text NOT NULL,
    filler text NOT NULL
);

INSERT INTO public.approval VALUES
	('4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 1, 'granted', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}', '01a20db8-3ad7-72d4-9576-3f1a168ce55a', 'sha256:ba84d424ff9470aedaa10dbcc127f40dd25cb9b58873a540ab182b805e8264d2', '', 1795526507182, 1795526567379, 2),
	('nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 1, 'denied', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}', '01a20db8-3b90-75f9-94f6-3269a66ff560', 'sha256:75868410b016dc7831d34efb206caba5df03138c43c4a3688367f01fc0cbce63', 'The decision of fay', 1795526507363, 1795526567547, 2),
	('3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 1, 'withdrawn', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}', '01a20db8-3c02-73c4-a534-e131620138d9', 'sha256:fe457b0cad0602b0ca80a7a3503763ffeb503cadf0bf7535dd645a9ee5444d11', '', 1795526507511, 1795526567624, 2),
	('0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 1, 'withdrawing', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}', '01a20db8-3c85-7da7-88e9-ca50fac4d07b', 'sha256:dd36029be3b3f83028c2c9ff8677182113a6d80bf252be65d2916b4713f9b45b', '', 1795526507580, 1795526624559, 1),
	('4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 2, 'waiting', 'update', '{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'oidc-client', 'vera', 'Change the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"side":"partner","userClaims":["name"]}', '01a20db8-3cea-739f-bdb0-d99c04a6a05f', 'sha256:fefb8f8df5068274f2b90d389d771d1da75002196f6c9d1f5cc948c59df5a860', '', 1795526507741, 1795526807783, 1),
	('6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 1, 'asking', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"side":"partner","userClaims":["name"]}', '', '', '', 1795526624418, 1795526684521, 1);

INSERT INTO public.catalog_event OVERRIDING SYSTEM VALUE VALUES
	(1, 'demo-partner', '', 'created', 'system:catalog', 1795526505373, '[]', '', ''),
	(2, '', 'demo-policy', 'created', 'system:catalog', 1795526505373, '[]', '', ''),
	(3, 'demo-partner', 'demo-policy', 'approved', 'system:catalog', 1795526505373, '[]', '', ''),
	(4, '', 'free', 'created', 'ada', 1795526505559, '[]', 'K76D7GWS3VSF6OKDNT2IYWMKML', ''),
	(5, '', 'reviewed', 'created', 'ada', 1795526505578, '[]', '6M6AMNJUPUTU3ODZJREDCG55TN', ''),
	(6, '', 'old', 'created', 'ada', 1795526505595, '[]', 'M2CS5VBLV3NP2Y4TPOXR7M4SOD', ''),
	(7, 'bank', '', 'created', 'ada', 1795526505611, '[]', 'SZRQLXKDNPNMJNISW2N6TAJAQ3', ''),
	(8, 'bank', 'free', 'approved', 'ada', 1795526505645, '[]', 'CVFZRWKQ6CNLSYXVEJIAKGRHE3', ''),
	(9, 'bank', 'reviewed', 'approved', 'ada', 1795526505669, '[]', 'OTESBAZMQPWGYUZBQPNBUJ43K5', ''),
	(10, 'bank', 'old', 'approved', 'ada', 1795526505684, '[]', 'Y4HKTATW6IO3EQYP3OTMOLNAKR', ''),
	(11, 'shop', '', 'created', 'ada', 1795526505708, '[]', 'EWVI2SPCSP55AHCBHMLVLQ2X5H', ''),
	(12, 'shop', 'free', 'approved', 'ada', 1795526505720, '[]', 'OSUCLVMGQKZIAU37WW3AGTPP2E', ''),
	(13, 'shop', 'reviewed', 'approved', 'ada', 1795526505749, '[]', 'OOIY4BH6LXDBOU33THW6GC46QM', ''),
	(14, 'shop', 'old', 'approved', 'ada', 1795526505775, '[]', 'HMBH4HH3MFJ4CEKXAEI2JCT5SF', ''),
	(15, 'bank', 'old', 'revoked', 'ada', 1795526505784, '[]', 'BDVC4SYHKZKRAUHGAHV2F4BB6R', '');

INSERT INTO public.client VALUES
	('IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 'partner', 'ok', 'bank', 'free', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', '{"crv":"P-256","kid":"IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs","kty":"EC","x":"Haw-VhSeXLqdDH_hZksRGXOMnUgAd837dCvFPh0oUtA","y":"23r1uLy72UAQbwD3DT9V_W8YYAOuIGQLUHkPr9_LcWk"}', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-6JR5HP4T2C7HH4KTGPNSD7JJ3F', false, '', '', '', 'vera', 1795526505827, 1795526505888, 2),
	('6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 'partner', 'ok', 'bank', 'free', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', '{"crv":"P-256","kid":"6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk","kty":"EC","x":"I-V4AAbmgx-QFCMa64ZXHM-D5TTrQlB6fOF2bgNO5Ho","y":"LDMHYwnTcAGIcT4mTWSQIYI9ONH0qdZOf04sifCT9eY"}', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-64QFGQPUUIIBGQNHZSSCWK3K27', false, '', '', '', 'vera', 1795526505938, 1795526506079, 3),
	('w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'partner', 'ok', 'bank', 'free', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', '{"crv":"P-256","kid":"w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s","kty":"EC","x":"aMhnfZKnX-wsuowcmhNAe0Cu7FX0H6dKCa1nrwhGL2s","y":"IO-DGMnkAeO8RHoTmumKcb2Cr8tGAKalnSFbvJPAw_U"}', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN', false, '', '', '', 'vera', 1795526506115, 1795526506156, 3),
	('Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'partner', 'ok', 'bank', 'free', 'pZjglW_iZIym7vfvEZUP9Rej0WBZ-fI8n9LghcR9kV8', '{"crv":"P-256","kid":"pZjglW_iZIym7vfvEZUP9Rej0WBZ-fI8n9LghcR9kV8","kty":"EC","x":"mbZb7n6fTmNG7-Yqljh338DXlCEyO7JmcI7BR9TE2FE","y":"cC0HH9ItjuNxxsWA8yKDdaOsjPuGMyc_6F9AbwBN-8c"}', 'pZjglW_iZIym7vfvEZUP9Rej0WBZ-fI8n9LghcR9kV8', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', '{"crv":"P-256","kid":"Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co","kty":"EC","x":"A-j-vS912oHTRKpNDGlauQ9cY42sHpkOvCJDoKAoOyc","y":"rm9Yug21hSsT7Sr_3HkCHX0qLuLzhiivU4okOTAM8Wc"}', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-FLT5Q362RFFUOB7HG3K76X6AYS', false, '', '', '', 'vera', 1795526506281, 1795526506412, 3),
	('of-the-provider', 'provider', 'ok', 'bank', '', 'C2b-ftWImCT9-SBgSj66K2SihSBVlSq09AWeE3zX_dw', '{"crv":"P-256","kid":"C2b-ftWImCT9-SBgSj66K2SihSBVlSq09AWeE3zX_dw","kty":"EC","x":"ZOvVwr_ywVCPD-V6pyo5DYr8gkGTJPSLX-QNTE4fLL0","y":"e68O-3IIQ7xqyXTKo-aTP7okt_4rwgbFsvlz2wn8t2w"}', 'C2b-ftWImCT9-SBgSj66K2SihSBVlSq09AWeE3zX_dw', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-IV5NMQVYY23TFIJUG33LNVCMD5', false, '', '', '', 'vera', 1795526506501, 1795526506535, 2),
	('mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 'partner', 'down', 'bank', 'free', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', '{"crv":"P-256","kid":"mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A","kty":"EC","x":"No-EPDvt6HN5vwNST11LS6rY4kWG4LjCYUyIU7XOEt8","y":"w2bVb1iW8QAkcPldx_dQTKvtfLyuoNdEzey6lMEbMWQ"}', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795526506562, 1795526506562, 1),
	('RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'partner', 'ok', 'bank', 'free', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', '{"crv":"P-256","kid":"RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4","kty":"EC","x":"pTs4VH4OnUOkUg-UsWdwtmS4_2UT62fu9TAfh3WOTbE","y":"6QV0npKXLvs_QNhLiGJwgxoe70173x85hq-LUSlZHWI"}', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-DYLY33BRXKLLBLKQAO77XQNRB2', false, '', '', '', 'vera', 1795526506900, 1795526506932, 2),
	('Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'partner', 'ok', 'bank', 'free', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', '{"crv":"P-256","kid":"Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg","kty":"EC","x":"FqyKNt61Yivh4M4zZh2AGTf1zi_1qz4VIOTmExoEYiU","y":"zdJqi60mmavHaDNl9m0SJbTHUmcPXJfCsvICUgamOI8"}', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-6ZBAD4P7FXRT5MQLJNZJHUN6KK', false, '', '', '', 'vera', 1795526507760, 1795526507763, 2),
	('NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'partner', 'ok', 'bank', 'free', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', '{"crv":"P-256","kid":"NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII","kty":"EC","x":"dBlteMa9ZBpLj_LbvSI_Khu-DxusN6YYjPeN68S6bXU","y":"vy8gVIehO2nRhmt-ZXQ1Y-jgrX-x5I0Z-eqxV3m4xgY"}', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-4ZTPV5DJ7WAFBCA5KUNOX255JW', false, '', '', '', 'vera', 1795526507786, 1795526507822, 2),
	('tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'partner', 'ok', 'bank', 'free', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', '{"crv":"P-256","kid":"tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc","kty":"EC","x":"3Gap8YJ4enxWnpJG7wF6PDILBUK27Vxc55VkT_fxlUI","y":"Fm5Pq28_Q8HnPpVOvUInPcJmIs9ZLRruA2dPH3fY-D4"}', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-H4URWLKDIIYZODRRNZWRKKMKVX', false, '', '', '', 'vera', 1795526603022, 1795526603343, 3),
	('ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'partner', 'ok', 'bank', 'free', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', '{"crv":"P-256","kid":"ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8","kty":"EC","x":"oE3FAXkuT4lfRUiE5m6CoerZC1wFtcYskx6ebbxe3rU","y":"vZBWOKTc4U8IltwdK_eqvaZLIxR43RbF0cAR_3W_iRc"}', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-YG2T6P2W36ZLADGL6HV6A6FJG5', true, '', '', '', 'vera', 1795526507024, 1795526507075, 3),
	('YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 'partner', 'ok', 'bank', 'free', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', '{"crv":"P-256","kid":"YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E","kty":"EC","x":"aWw6KF6P1usA7jWnrOxnJXGkSVlndPrPusvoyfzq4lg","y":"2_rrKwIpYUmC7cAvlw5Ldieyc91okvu1RRVzbFLTIEI"}', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-BUO3SESHKGDD4K7W2ZVBCZYJAA', false, '', '', '', 'initial access token:92514e136b3602bf', 1795526507124, 1795526507144, 2),
	('4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'partner', 'ok', 'bank', 'reviewed', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', '{"crv":"P-256","kid":"4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU","kty":"EC","x":"Puv_5LbTZ_lzCEV6hQBaNU-vNstCI0yyT-KF4X1wGqQ","y":"IiTohlbt6XizIy_jxsKxCZjqsiKsI3oZgZey4trbcko"}', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-6LVMKZIT4UKIWA7HQF4NBXGWI3', false, '', '', '', 'vera', 1795526507182, 1795526507444, 2),
	('nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'partner', 'ok', 'bank', 'reviewed', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', '{"crv":"P-256","kid":"nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI","kty":"EC","x":"YmgQFIkbaGtjyLTa5qZBTnJ5PnbH4ReFJglPrgjIu1g","y":"kxA72ZxuLnfHhtQuLOkUTRzsm23cR30hIWcwy98ejTE"}', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'FAILED', false, '', false, 'not_approved', '', 'not approved: The decision of fay', 'vera', 1795526507363, 1795526507574, 2),
	('x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'partner', 'ok', 'bank', 'free', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', '{"crv":"P-256","kid":"x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI","kty":"EC","x":"yPYgoZF_Cue4FDtEz0VFXGbmN8YyiZxyhhE5tjLNmMY","y":"UP7-wysCwjk9nHb7jf1GN_oa5JX3P3JBDJpCqGRCEdo"}', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-VMBWQCQ2HJRJYSOM5X46EM5B2J', false, '', '', '', 'vera', 1795526507746, 1795526507749, 2),
	('_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 'partner', 'down', 'bank', 'free', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', '{"crv":"P-256","kid":"_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo","kty":"EC","x":"V6_gSFerylwUUZrpA8_66voF6oERtQYvAcKaKyzXTk0","y":"gOpi-dQs7KAO_C3lzxgw5wpwZkuabq-tw-811sHiJco"}', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795526623823, 1795526623823, 1),
	('6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 'partner', 'ok', 'bank', 'reviewed', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', '{"crv":"P-256","kid":"6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk","kty":"EC","x":"yDnAHUBzFGYwH-pfkimGjMHSzhHLi99U2TbDGj4v85w","y":"v3fv5Qz76sSzofIkibU_DYtPL8O3yW_Mn9h5bnzrko0"}', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795526624418, 1795526624418, 1);

INSERT INTO public.client_event OVERRIDING SYSTEM VALUE VALUES
	(1, 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 'registered', 'vera', 1795526505827, '[]', '[]', '', '', '', '', '[]', 'T47NSBKX7FTV2PYNC6ZIYMEWLV', '', 0, 0),
	(2, 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 'activated', 'vera', 1795526505888, '[]', '[]', '', '', 'assigned-6JR5HP4T2C7HH4KTGPNSD7JJ3F', '', '[]', 'T47NSBKX7FTV2PYNC6ZIYMEWLV', '', 0, 0),
	(3, '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 'registered', 'vera', 1795526505938, '[]', '[]', '', '', '', '', '[]', 'O44ETQNHX23G4BCLR4VXSA3NVY', '', 0, 0),
	(4, '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 'activated', 'vera', 1795526506009, '[]', '[]', '', '', 'assigned-64QFGQPUUIIBGQNHZSSCWK3K27', '', '[]', 'O44ETQNHX23G4BCLR4VXSA3NVY', '', 0, 0),
	(5, '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 'updated', 'vera', 1795526506079, '["status"]', '[]', '', '', '', '', '[]', 'UEQ2UIS4YQEU4HJBVY4ZEYDAL3', '', 0, 0),
	(6, 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'registered', 'vera', 1795526506115, '[]', '[]', '', '', '', '', '[]', 'CRQP5AGESZHVD3PVPPJGAPF6KT', '', 0, 0),
	(7, 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'activated', 'vera', 1795526506129, '[]', '[]', '', '', 'assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN', '', '[]', 'CRQP5AGESZHVD3PVPPJGAPF6KT', '', 0, 0),
	(8, 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'updated', 'ada', 1795526506156, '["status"]', '[]', '', '', '', 'A leaked key', '[]', 'ZSEOXXD6WZCSE5WT3NMEM7BCAY', '', 0, 0),
	(9, 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'registered', 'vera', 1795526506281, '[]', '[]', '', '', '', '', '[]', 'V4N7YDR2VNKMTL7HI2CAN26XKU', '', 0, 0),
	(10, 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'activated', 'vera', 1795526506317, '[]', '[]', '', '', 'assigned-FLT5Q362RFFUOB7HG3K76X6AYS', '', '[]', 'V4N7YDR2VNKMTL7HI2CAN26XKU', '', 0, 0),
	(11, 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'updated', 'vera', 1795526506412, '["publicKey"]', '[]', '', '', '', '', '[]', '375KX4ZLHFJ4G4HJCICULGBA6A', '', 0, 0),
	(12, '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 'registered', 'vera', 1795526506442, '[]', '[]', '', '', '', '', '[]', 'YQNGBVCEK7IZW2XSO2FFSTSWHH', '', 0, 0),
	(13, '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 'refused', 'vera', 1795526506472, '[]', '[]', 'provider_refused', '', '', '', '[]', 'YQNGBVCEK7IZW2XSO2FFSTSWHH', '', 0, 0),
	(14, 'of-the-provider', 'registered', 'vera', 1795526506501, '[]', '[]', '', '', '', '', '[]', 'S7N6ZX4KQRF2PACPLMIYWDBU5C', '', 0, 0),
	(15, 'of-the-provider', 'activated', 'vera', 1795526506535, '[]', '[]', '', '', 'assigned-IV5NMQVYY23TFIJUG33LNVCMD5', '', '[]', 'S7N6ZX4KQRF2PACPLMIYWDBU5C', '', 0, 0),
	(16, 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 'registered', 'vera', 1795526506562, '[]', '[]', '', '', '', '', '[]', 'YUHQTKXFW4ER66FKVYTRFR4IOM', '', 0, 0),
	(17, 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'registered', 'vera', 1795526506900, '[]', '[]', '', '', '', '', '[]', 'HEBA3KBHSOOWKYLUBZGMKUIMOU', '', 0, 0),
	(18, 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'activated', 'vera', 1795526506932, '[]', '[]', '', '', 'assigned-DYLY33BRXKLLBLKQAO77XQNRB2', '', '[]', 'HEBA3KBHSOOWKYLUBZGMKUIMOU', '', 0, 0),
	(19, 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'registered', 'vera', 1795526507024, '[]', '[]', '', '', '', '', '[]', 'UUTBQ3BLET5TT5JD5EKMMKAOIO', '', 0, 0),
	(20, 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'activated', 'vera', 1795526507037, '[]', '[]', '', '', 'assigned-YG2T6P2W36ZLADGL6HV6A6FJG5', '', '[]', 'UUTBQ3BLET5TT5JD5EKMMKAOIO', '', 0, 0),
	(21, 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'doubtful', 'vera', 1795526507075, '[]', '[]', 'provider_doubtful', '', '', '', '[]', 'QKIHYDKH7H6G2MQFMUQPSKQY65', '', 0, 0),
	(22, 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 'registered', 'initial access token:92514e136b3602bf', 1795526507124, '[]', '[]', '', '', '', '', '[]', 'ZE22IWFR6S4XZIAAS4G7OVHL6O', '', 0, 0),
	(23, 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 'activated', 'initial access token:92514e136b3602bf', 1795526507144, '[]', '[]', '', '', 'assigned-BUO3SESHKGDD4K7W2ZVBCZYJAA', '', '[]', 'ZE22IWFR6S4XZIAAS4G7OVHL6O', '', 0, 0),
	(24, '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'registered', 'vera', 1795526507182, '[]', '[]', '', '', '', '', '[]', 'KBAJONJKWLJKRCNNTCEIPPSYOS', '', 0, 0),
	(25, '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'held', 'vera', 1795526507182, '[]', '[]', '', '', '', '', '[]', 'KBAJONJKWLJKRCNNTCEIPPSYOS', '', 0, 0),
	(26, 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'registered', 'vera', 1795526507363, '[]', '[]', '', '', '', '', '[]', 'V3G3G25NSIVVRIKN6YHGTICQQE', '', 0, 0),
	(27, 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'held', 'vera', 1795526507363, '[]', '[]', '', '', '', '', '[]', 'V3G3G25NSIVVRIKN6YHGTICQQE', '', 0, 0),
	(28, '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'approved', 'oidc-registrar', 1795526507395, '[]', '[]', '', '', '', '', '[]', 'ARDWCVDJQQCA7GSZDJNCTVPTVE', '', 0, 0),
	(29, '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'activated', 'oidc-registrar', 1795526507444, '[]', '[]', '', '', 'assigned-6LVMKZIT4UKIWA7HQF4NBXGWI3', '', '[]', 'ARDWCVDJQQCA7GSZDJNCTVPTVE', '', 0, 0),
	(30, '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 'registered', 'vera', 1795526507511, '[]', '[]', '', '', '', '', '[]', 'QKDIRY4HVZ5MJZPGRJP7YJGQHG', '', 0, 0),
	(31, '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 'held', 'vera', 1795526507511, '[]', '[]', '', '', '', '', '[]', 'QKDIRY4HVZ5MJZPGRJP7YJGQHG', '', 0, 0),
	(32, '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 'removed', 'vera', 1795526507564, '[]', '[]', '', '', '', '', '[]', 'UW2KK3RP3FGNEL5LKL2XI2DE2Y', '', 0, 0),
	(33, 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'failed', 'oidc-registrar', 1795526507574, '[]', '[]', 'not_approved', '', '', 'The decision of fay', '[]', 'CM5ZFHKA6WAGOR4AOEAMCMBOLQ', '', 0, 0),
	(34, '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 'registered', 'vera', 1795526507580, '[]', '[]', '', '', '', '', '[]', '2QBSZLOBTOZJP4MPGVAT6BMCRJ', '', 0, 0),
	(35, '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 'held', 'vera', 1795526507580, '[]', '[]', '', '', '', '', '[]', '2QBSZLOBTOZJP4MPGVAT6BMCRJ', '', 0, 0),
	(36, '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'held', 'vera', 1795526507741, '["redirectUris"]', '[]', '', '', '', '', '[]', 'PKLXZ4GDJNMMXGPF5W74LGW3YK', '', 0, 0),
	(37, 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'registered', 'vera', 1795526507746, '[]', '[]', '', '', '', '', '[]', '2GHY3PJNYBJRPJSYK4KVT222S3', '', 0, 0),
	(38, 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'activated', 'vera', 1795526507749, '[]', '[]', '', '', 'assigned-VMBWQCQ2HJRJYSOM5X46EM5B2J', '', '[]', '2GHY3PJNYBJRPJSYK4KVT222S3', '', 0, 0),
	(39, 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'registered', 'vera', 1795526507760, '[]', '[]', '', '', '', '', '[]', '6YBBYC2BAA2LSGULKKE65GEGSU', '', 0, 0),
	(40, 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'activated', 'vera', 1795526507763, '[]', '[]', '', '', 'assigned-6ZBAD4P7FXRT5MQLJNZJHUN6KK', '', '[]', '6YBBYC2BAA2LSGULKKE65GEGSU', '', 0, 0),
	(41, 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'registered', 'vera', 1795526507786, '[]', '[]', '', '', '', '', '[]', '2BC4VMBY6ZNNNX2UMP4FEUZ7BY', '', 0, 0),
	(42, 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'activated', 'vera', 1795526507822, '[]', '[]', '', '', 'assigned-4ZTPV5DJ7WAFBCA5KUNOX255JW', '', '[]', '2BC4VMBY6ZNNNX2UMP4FEUZ7BY', '', 0, 0),
	(43, 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'missing', 'system:import', 1795526508063, '[]', '[]', 'provider_doubtful', '', '', '', '[]', '', '', 0, 0),
	(44, 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'missing', 'system:import', 1795526508127, '[]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(45, 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'differs', 'system:import', 1795526508152, '["clientName"]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(46, 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'registered', 'vera', 1795526603022, '[]', '[]', '', '', '', '', '[]', 'T7JRWZJXLP3VTQM26ZMFIUGXNO', '', 0, 0),
	(47, 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'activated', 'vera', 1795526603146, '[]', '[]', '', '', 'assigned-H4URWLKDIIYZODRRNZWRKKMKVX', '', '[]', 'T7JRWZJXLP3VTQM26ZMFIUGXNO', '', 0, 0),
	(48, 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'updated', 'vera', 1795526603343, '["status"]', '[]', '', '', '', '', '[]', 'HEL52L4IXQWRYRU6YZL55KGKS4', '', 0, 0),
	(49, '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 'registered', 'vera', 1795526623823, '[]', '[]', '', '', '', '', '[]', 'ILUFSDA4KMPFBKEKYAQZQ23XKW', '', 0, 0),
	(50, '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 'registered', 'vera', 1795526624418, '[]', '[]', '', '', '', '', '[]', 'IYSXF3YC57UZKO6V3NOEFCNOG4', '', 0, 0),
	(51, '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 'held', 'vera', 1795526624418, '[]', '[]', '', '', '', '', '[]', 'IYSXF3YC57UZKO6V3NOEFCNOG4', '', 0, 0),
	(52, '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 'removed', 'vera', 1795526624559, '[]', '[]', '', '', '', '', '[]', 'H6FIWKS5C5FPLHVCCSKIQEQP55', '', 0, 0);

INSERT INTO public.client_key VALUES
	('IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs'),
	('6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk'),
	('w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s'),
	('Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co'),
	('pZjglW_iZIym7vfvEZUP9Rej0WBZ-fI8n9LghcR9kV8', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co'),
	('C2b-ftWImCT9-SBgSj66K2SihSBVlSq09AWeE3zX_dw', 'of-the-provider'),
	('mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A'),
	('RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4'),
	('ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8'),
	('YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E'),
	('4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU'),
	('nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI'),
	('x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI'),
	('Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg'),
	('NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII'),
	('tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc'),
	('_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo'),
	('6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk');

INSERT INTO public.delivery VALUES
	('01a20db8-3567-765f-b994-3460e5a37af4', '01a20db8-3567-759b-a720-7f75b7870d11', '', 'client.registered', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526505929, 204, '', 5, '', 1795526505934, 1795526505827, 1795526505934),
	('01a20db8-3567-7658-a4e6-7d7c4fa9d41d', '01a20db8-3567-759b-a720-7f75b7870d11', '', 'client.registered', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526505929, 204, '', 6, '', 1795526505935, 1795526505827, 1795526505935),
	('01a20db8-3567-765e-9933-f7dab75f931d', '01a20db8-3567-759b-a720-7f75b7870d11', '', 'client.registered', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526505930, 204, '', 4, '', 1795526505934, 1795526505827, 1795526505934),
	('01a20db8-35c6-7bba-96fd-5b12bcba81d0', '01a20db8-35c6-7b32-ac30-e25915215989', '', 'client.activated', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526505973, 204, '', 4, '', 1795526505977, 1795526505888, 1795526505977),
	('01a20db8-35c6-7bb4-8f54-7d643a1143bb', '01a20db8-35c6-7b32-ac30-e25915215989', '', 'client.activated', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526505973, 204, '', 4, '', 1795526505977, 1795526505888, 1795526505977),
	('01a20db8-35c6-7bb8-8d89-f17a2310ba64', '01a20db8-35c6-7b32-ac30-e25915215989', '', 'client.activated', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 2, '01a20db8-3445-7839-9513-bf51fdb6b4d7', 'gone', 'http://127.0.0.1:18476/gone', '01a20db8-3445-7839-9513-bf51fdb6b4d7', 'failed', DEFAULT, 1, 1, 0, 1795526505973, 410, 'status 410', 4, '', 0, 1795526505888, 1795526505977),
	('01a20db8-35c6-7bb9-befb-dc61a94f7c5c', '01a20db8-35c6-7b32-ac30-e25915215989', '', 'client.activated', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526505973, 204, '', 4, '', 1795526505977, 1795526505888, 1795526505977),
	('01a20db8-35d3-766d-a300-ffbf6b525b29', '01a20db8-35d3-7615-863f-e952e0632499', '', 'client.registered', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526505984, 204, '', 1, '', 1795526505985, 1795526505938, 1795526505985),
	('01a20db8-35d3-7671-8e5a-c72fef80c1ae', '01a20db8-35d3-7615-863f-e952e0632499', '', 'client.registered', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526505983, 204, '', 3, '', 1795526505986, 1795526505938, 1795526505986),
	('01a20db8-35d3-767c-8b35-a4fb6253d0ae', '01a20db8-35d3-7615-863f-e952e0632499', '', 'client.registered', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526505984, 204, '', 0, '', 1795526505984, 1795526505938, 1795526505984),
	('01a20db9-b11e-71f5-84f4-f5aac28234e0', '01a20db9-b11e-7180-86d9-7eb3c6a40568', '', 'client.registered', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526603201, 204, '', 2, '', 1795526603203, 1795526603022, 1795526603203),
	('01a20db9-b11e-71f2-9cec-36df4c170fb7', '01a20db9-b11e-7180-86d9-7eb3c6a40568', '', 'client.registered', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526603201, 204, '', 2, '', 1795526603203, 1795526603022, 1795526603203),
	('01a20db9-b11e-71f6-8533-a1fa58eb1ee8', '01a20db9-b11e-7180-86d9-7eb3c6a40568', '', 'client.registered', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526603200, 204, '', 3, '', 1795526603203, 1795526603022, 1795526603203),
	('01a20db8-3567-765c-ae5b-c7b26706e03f', '01a20db8-3567-759b-a720-7f75b7870d11', '', 'client.registered', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526505930, 503, 'status 503', 4, '', 0, 1795526505827, 1795526623752),
	('01a20db8-35c6-7bb6-bb48-605f8e2d48db', '01a20db8-35c6-7b32-ac30-e25915215989', '', 'client.activated', 'IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526505973, 503, 'status 503', 4, '', 0, 1795526505888, 1795526623752),
	('01a20db8-35d3-7670-bd2d-34fcaedad39c', '01a20db8-35d3-7615-863f-e952e0632499', '', 'client.registered', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526505983, 503, 'status 503', 1, '', 0, 1795526505938, 1795526623752),
	('01a20db9-b11e-71f3-a785-9b2e4c548156', '01a20db9-b11e-7180-86d9-7eb3c6a40568', '', 'client.registered', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526603022, 1795526623752),
	('01a20db8-362e-7e33-a337-51f0e070c450', '01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', 'client.activated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 2, '01a20db8-3445-7839-9513-bf51fdb6b4d7', 'gone', 'http://127.0.0.1:18476/gone', '01a20db8-3445-7839-9513-bf51fdb6b4d7', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506009, 1795526506054),
	('01a20db8-362e-7e2c-8349-95959e89031c', '01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', 'client.activated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506090, 204, '', 1, '', 1795526506091, 1795526506009, 1795526506091),
	('01a20db8-362e-7e34-8b41-ae40744a572d', '01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', 'client.activated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506090, 204, '', 1, '', 1795526506091, 1795526506009, 1795526506091),
	('01a20db8-362e-7e35-81cd-2a224586f861', '01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', 'client.activated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506090, 204, '', 2, '', 1795526506092, 1795526506009, 1795526506092),
	('01a20db8-3686-7522-8b3c-df7205489dc5', '01a20db8-3686-74a6-9787-bfa4ea46f2ed', '', 'client.registered', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506157, 204, '', 1, '', 1795526506158, 1795526506115, 1795526506158),
	('01a20db8-3686-751d-ab00-53e505d575d4', '01a20db8-3686-74a6-9787-bfa4ea46f2ed', '', 'client.registered', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506157, 204, '', 1, '', 1795526506158, 1795526506115, 1795526506158),
	('01a20db8-3686-7523-b98a-f02b0559a748', '01a20db8-3686-74a6-9787-bfa4ea46f2ed', '', 'client.registered', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506158, 204, '', 0, '', 1795526506158, 1795526506115, 1795526506158),
	('01a20db8-36a6-7b20-ac4f-3f30584b49e4', '01a20db8-36a6-7a46-a36f-428fb84a08af', '', 'client.activated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506183, 204, '', 0, '', 1795526506183, 1795526506129, 1795526506183),
	('01a20db8-36a6-7b1b-b482-d51c5978d23c', '01a20db8-36a6-7a46-a36f-428fb84a08af', '', 'client.activated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506182, 204, '', 2, '', 1795526506184, 1795526506129, 1795526506184),
	('01a20db8-36a6-7b21-847b-e562a473654e', '01a20db8-36a6-7a46-a36f-428fb84a08af', '', 'client.activated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506183, 204, '', 0, '', 1795526506183, 1795526506129, 1795526506183),
	('01a20db9-b1b7-71ec-bb02-d448e658c4dc', '01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f', '', 'client.activated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526603281, 204, '', 1, '', 1795526603282, 1795526603146, 1795526603282),
	('01a20db9-b1b7-71ef-80cf-23c0a8927507', '01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f', '', 'client.activated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526603281, 204, '', 1, '', 1795526603282, 1795526603146, 1795526603282),
	('01a20db9-b1b7-71f1-8906-9c07a9d47d59', '01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f', '', 'client.activated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526603281, 204, '', 1, '', 1795526603282, 1795526603146, 1795526603282),
	('01a20db8-362e-7e30-a6e8-f4a815912f33', '01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', 'client.activated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526506089, 503, 'status 503', 1, '', 0, 1795526506009, 1795526623752),
	('01a20db8-3686-751f-bc90-2754e56aafd1', '01a20db8-3686-74a6-9787-bfa4ea46f2ed', '', 'client.registered', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526506157, 503, 'status 503', 2, '', 0, 1795526506115, 1795526623752),
	('01a20db8-36a6-7b1e-b0e3-30b7636d720f', '01a20db8-36a6-7a46-a36f-428fb84a08af', '', 'client.activated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526506182, 503, 'status 503', 2, '', 0, 1795526506129, 1795526623752),
	('01a20db9-b1b7-71ee-85b2-49ade1061956', '01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f', '', 'client.activated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526603146, 1795526623752),
	('01a20db8-367b-75dc-bf43-17bf66ac8eb2', '01a20db8-367b-7557-937b-ac1b84519e7a', '', 'client.deactivated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 3, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506159, 204, '', 0, '', 1795526506159, 1795526506079, 1795526506159),
	('01a20db8-367b-75e0-89f3-4cb0fdf8a58d', '01a20db8-367b-7557-937b-ac1b84519e7a', '', 'client.deactivated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 3, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506158, 204, '', 1, '', 1795526506159, 1795526506079, 1795526506159),
	('01a20db8-367b-75e1-a984-44b6d69d4d4b', '01a20db8-367b-7557-937b-ac1b84519e7a', '', 'client.deactivated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 3, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506158, 204, '', 1, '', 1795526506159, 1795526506079, 1795526506159),
	('01a20db8-370a-7769-ad40-bf0d74688344', '01a20db8-370a-76ba-bf16-092dad4c4188', '', 'client.deactivated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 3, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506289, 204, '', 0, '', 1795526506289, 1795526506156, 1795526506289),
	('01a20db8-370a-776c-8718-7f3acaaec6e7', '01a20db8-370a-76ba-bf16-092dad4c4188', '', 'client.deactivated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 3, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506289, 204, '', 1, '', 1795526506290, 1795526506156, 1795526506290),
	('01a20db8-370a-776d-a0c1-802343b661f7', '01a20db8-370a-76ba-bf16-092dad4c4188', '', 'client.deactivated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 3, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506288, 204, '', 2, '', 1795526506290, 1795526506156, 1795526506290),
	('01a20db8-372a-7a4b-ae46-80c0e73414f7', '01a20db8-372a-79c4-bff8-d949482dcfc2', '', 'client.registered', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506333, 204, '', 2, '', 1795526506335, 1795526506281, 1795526506335),
	('01a20db8-372a-7a48-be9c-410e1fb45f3c', '01a20db8-372a-79c4-bff8-d949482dcfc2', '', 'client.registered', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506333, 204, '', 2, '', 1795526506335, 1795526506281, 1795526506335),
	('01a20db8-372a-7a6c-a73b-b5034ff10a82', '01a20db8-372a-79c4-bff8-d949482dcfc2', '', 'client.registered', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506333, 204, '', 2, '', 1795526506335, 1795526506281, 1795526506335),
	('01a20db9-b2ed-759c-b8a8-e0caff1e32aa', '01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', 'client.deactivated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 3, '01a20db8-340b-7ed3-82ba-3c976911ad39', 'slow', 'http://127.0.0.1:18476/slow', '01a20db8-340b-7ed3-82ba-3c976911ad39', 'sending', DEFAULT, 1, 0, 1, 0, 0, '', 0, '', 0, 1795526603343, 1795526603343),
	('01a20db9-b2ed-759e-89ab-7ac5c3c575a5', '01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', 'client.deactivated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 3, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 1, 1795526623672, 204, '', 28, '', 1795526623700, 1795526603343, 1795526623700),
	('01a20db9-b2ed-75a0-ade2-00d8f15c3371', '01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', 'client.deactivated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 3, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 1, 1795526623673, 204, '', 28, '', 1795526623701, 1795526603343, 1795526623701),
	('01a20db9-b2ed-75a1-b1fb-740fb6a4d474', '01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', 'client.deactivated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 3, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 1, 1795526623675, 204, '', 26, '', 1795526623701, 1795526603343, 1795526623701),
	('01a20db8-370a-776b-b8ee-9025639a1fd3', '01a20db8-370a-76ba-bf16-092dad4c4188', '', 'client.deactivated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 3, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526536851, 503, 'status 503', 1, '', 0, 1795526506156, 1795526623752),
	('01a20db8-367b-75dd-9335-aaaae7899202', '01a20db8-367b-7557-937b-ac1b84519e7a', '', 'client.deactivated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 3, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526506157, 503, 'status 503', 1, '', 0, 1795526506079, 1795526623752),
	('01a20db8-372a-7a4a-a7b6-08a4b4311b36', '01a20db8-372a-79c4-bff8-d949482dcfc2', '', 'client.registered', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 1, 0, 1795526597151, 503, 'status 503', 56, '', 0, 1795526506281, 1795526623752),
	('01a20db8-3766-7290-ab25-6095174a0c7d', '01a20db8-3766-7207-ae1c-3be687917ee2', '', 'client.activated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506317, 1795526623752),
	('01a20db9-b2ed-759f-8085-d9a896111a39', '01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', 'client.deactivated', 'tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 3, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526603343, 1795526623752),
	('01a20db8-3766-728e-9b02-65fb9c3d76e2', '01a20db8-3766-7207-ae1c-3be687917ee2', '', 'client.activated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506389, 204, '', 1, '', 1795526506390, 1795526506317, 1795526506390),
	('01a20db8-3766-7292-9b6d-0492e1f506a6', '01a20db8-3766-7207-ae1c-3be687917ee2', '', 'client.activated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506389, 204, '', 1, '', 1795526506390, 1795526506317, 1795526506390),
	('01a20db8-3766-7293-84d2-f2a2b01d8e42', '01a20db8-3766-7207-ae1c-3be687917ee2', '', 'client.activated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506389, 204, '', 1, '', 1795526506390, 1795526506317, 1795526506390),
	('01a20db8-37cc-71f8-8ed4-1d2477bc7cd1', '01a20db8-37cb-7bbf-be94-3eb83bf58e99', '', 'client.registered', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506472, 204, '', 1, '', 1795526506473, 1795526506442, 1795526506473),
	('01a20db8-37cc-71fc-a3d2-0d3fcef72b40', '01a20db8-37cb-7bbf-be94-3eb83bf58e99', '', 'client.registered', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506472, 204, '', 1, '', 1795526506473, 1795526506442, 1795526506473),
	('01a20db8-37cc-720f-8b51-12e2127f80be', '01a20db8-37cb-7bbf-be94-3eb83bf58e99', '', 'client.registered', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506472, 204, '', 1, '', 1795526506473, 1795526506442, 1795526506473),
	('01a20db8-3801-77d8-9362-02544ec4762c', '01a20db8-3801-774b-8b3f-3afc78f83459', '', 'client.failed', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506541, 204, '', 0, '', 1795526506541, 1795526506472, 1795526506541),
	('01a20db8-3801-77de-ac1e-d4021217673e', '01a20db8-3801-774b-8b3f-3afc78f83459', '', 'client.failed', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506541, 204, '', 7, '', 1795526506548, 1795526506472, 1795526506548),
	('01a20db8-3801-77df-adb0-36c8c7e36203', '01a20db8-3801-774b-8b3f-3afc78f83459', '', 'client.failed', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506541, 204, '', 0, '', 1795526506541, 1795526506472, 1795526506541),
	('01a20db8-3995-7561-b342-e6ca0b5aaa85', '01a20db8-3995-750e-89e9-70a104f0cd89', '', 'client.registered', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506939, 204, '', 0, '', 1795526506939, 1795526506900, 1795526506939),
	('01a20db8-3995-755e-bc28-f6937e4d6db2', '01a20db8-3995-750e-89e9-70a104f0cd89', '', 'client.registered', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506938, 204, '', 1, '', 1795526506939, 1795526506900, 1795526506939),
	('01a20db8-3995-7569-82a0-caff66208d64', '01a20db8-3995-750e-89e9-70a104f0cd89', '', 'client.registered', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506938, 204, '', 1, '', 1795526506939, 1795526506900, 1795526506939),
	('01a20db8-37cc-71fb-96d8-425de6ec1bca', '01a20db8-37cb-7bbf-be94-3eb83bf58e99', '', 'client.registered', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506442, 1795526623752),
	('01a20db8-3801-77dd-90ba-806e50773140', '01a20db8-3801-774b-8b3f-3afc78f83459', '', 'client.failed', '2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506472, 1795526623752),
	('01a20db8-3995-7560-82e5-bb66f5759765', '01a20db8-3995-750e-89e9-70a104f0cd89', '', 'client.registered', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506900, 1795526623752),
	('01a20dba-0269-7e13-8728-1131d5e82ada', '01a20dba-0269-7d8e-a998-89280848c952', '', 'client.registered', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526624008, 204, '', 0, '', 1795526624008, 1795526623823, 1795526624008),
	('01a20dba-0269-7e10-9e49-9a664bbb64ac', '01a20dba-0269-7d8e-a998-89280848c952', '', 'client.registered', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526624008, 204, '', 0, '', 1795526624008, 1795526623823, 1795526624008),
	('01a20dba-0269-7e14-bc35-eef0bc065319', '01a20dba-0269-7d8e-a998-89280848c952', '', 'client.registered', '_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526624008, 204, '', 0, '', 1795526624008, 1795526623823, 1795526624008),
	('01a20dba-0579-74fd-bfc1-7392cec96535', '01a20dba-0579-745d-8dae-266631a7e227', '', 'client.failed', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526624716, 204, '', 18, '', 1795526624734, 1795526624559, 1795526624734),
	('01a20dba-0579-7500-94a3-8950bef93474', '01a20dba-0579-745d-8dae-266631a7e227', '', 'client.failed', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526624717, 204, '', 17, '', 1795526624734, 1795526624559, 1795526624734),
	('01a20dba-0579-7501-9773-d6b8caf384c6', '01a20dba-0579-745d-8dae-266631a7e227', '', 'client.failed', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526624716, 204, '', 18, '', 1795526624734, 1795526624559, 1795526624734),
	('01a20db8-37c2-7642-acfc-d7fa28e2aa6d', '01a20db8-37c2-7573-9448-d6dd39dedda1', '', 'client.updated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 3, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506463, 204, '', 0, '', 1795526506463, 1795526506412, 1795526506463),
	('01a20db8-37c2-7648-a3d2-5f009712f981', '01a20db8-37c2-7573-9448-d6dd39dedda1', '', 'client.updated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 3, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506463, 204, '', 0, '', 1795526506463, 1795526506412, 1795526506463),
	('01a20db8-37c2-7649-867b-78c46c75db4a', '01a20db8-37c2-7573-9448-d6dd39dedda1', '', 'client.updated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 3, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506463, 204, '', 0, '', 1795526506463, 1795526506412, 1795526506463),
	('01a20db8-380c-7703-a0ce-2a613a5e6205', '01a20db8-380c-7634-984e-59580afe73ad', '', 'client.registered', 'of-the-provider', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506559, 204, '', 2, '', 1795526506561, 1795526506501, 1795526506561),
	('01a20db8-380c-7706-ad82-e34cbca57368', '01a20db8-380c-7634-984e-59580afe73ad', '', 'client.registered', 'of-the-provider', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506560, 204, '', 1, '', 1795526506561, 1795526506501, 1795526506561),
	('01a20db8-380c-771f-88e0-7bacbb8dc8f5', '01a20db8-380c-7634-984e-59580afe73ad', '', 'client.registered', 'of-the-provider', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506563, 204, '', 0, '', 1795526506563, 1795526506501, 1795526506563),
	('01a20db8-383a-773a-b07e-3e625eac9447', '01a20db8-383a-76ab-8e67-7dd2e70c76d0', '', 'client.activated', 'of-the-provider', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506594, 204, '', 4, '', 1795526506598, 1795526506535, 1795526506598),
	('01a20db8-383a-773f-8c0d-2ea38fa87170', '01a20db8-383a-76ab-8e67-7dd2e70c76d0', '', 'client.activated', 'of-the-provider', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506594, 204, '', 4, '', 1795526506598, 1795526506535, 1795526506598),
	('01a20db8-383a-7740-921a-3ada89b085cb', '01a20db8-383a-76ab-8e67-7dd2e70c76d0', '', 'client.activated', 'of-the-provider', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506593, 204, '', 5, '', 1795526506598, 1795526506535, 1795526506598),
	('01a20db8-3843-74e2-9716-8033fcb04871', '01a20db8-3843-7490-b03f-75f90878e0a9', '', 'client.registered', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526506615, 204, '', 0, '', 1795526506615, 1795526506562, 1795526506615),
	('01a20db8-3843-7504-9d55-c5cc90335ada', '01a20db8-3843-7490-b03f-75f90878e0a9', '', 'client.registered', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526506615, 204, '', 0, '', 1795526506615, 1795526506562, 1795526506615),
	('01a20db8-3843-7505-947b-1c32b37a2dc4', '01a20db8-3843-7490-b03f-75f90878e0a9', '', 'client.registered', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526506615, 204, '', 0, '', 1795526506615, 1795526506562, 1795526506615),
	('01a20db8-37c2-7644-b51f-a41165613567', '01a20db8-37c2-7573-9448-d6dd39dedda1', '', 'client.updated', 'Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 3, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506412, 1795526623752),
	('01a20db8-380c-7705-9a13-5424332d76b5', '01a20db8-380c-7634-984e-59580afe73ad', '', 'client.registered', 'of-the-provider', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506501, 1795526623752),
	('01a20db8-383a-773c-a9a9-cee4b4b0615d', '01a20db8-383a-76ab-8e67-7dd2e70c76d0', '', 'client.activated', 'of-the-provider', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506535, 1795526623752),
	('01a20db8-3843-74e4-b5bc-df2aa3cd68e3', '01a20db8-3843-7490-b03f-75f90878e0a9', '', 'client.registered', 'mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506562, 1795526623752),
	('01a20dba-04fb-79dc-b9a3-54dcc8dd11f6', '01a20dba-04fb-7919-ac9c-7177dc85c677', '', 'client.registered', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 0, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526624584, 204, '', 10, '', 1795526624594, 1795526624418, 1795526624594),
	('01a20dba-04fb-79da-8cff-b4044ec0a9b8', '01a20dba-04fb-7919-ac9c-7177dc85c677', '', 'client.registered', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 0, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526624584, 204, '', 10, '', 1795526624594, 1795526624418, 1795526624594),
	('01a20dba-04fb-79db-a634-7766c2032983', '01a20dba-04fb-7919-ac9c-7177dc85c677', '', 'client.registered', '6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 0, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526624584, 204, '', 10, '', 1795526624594, 1795526624418, 1795526624594),
	('01a20db8-39db-7b88-b6bc-5953923fcf01', '01a20db8-39db-7aed-99c6-ccc43c0e7300', '', 'client.activated', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507066, 204, '', 1, '', 1795526507067, 1795526506932, 1795526507067),
	('01a20db8-39db-7b8d-928d-65d6d0f7165a', '01a20db8-39db-7aed-99c6-ccc43c0e7300', '', 'client.activated', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507067, 204, '', 0, '', 1795526507067, 1795526506932, 1795526507067),
	('01a20db8-39db-7b8e-8864-ee686f690072', '01a20db8-39db-7aed-99c6-ccc43c0e7300', '', 'client.activated', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507066, 204, '', 3, '', 1795526507069, 1795526506932, 1795526507069),
	('01a20db8-3b76-782f-8ffb-cca75e93d706', '01a20db8-3b76-77b9-ba35-5a7893824f39', '', 'client.registered', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 0, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507458, 204, '', 2, '', 1795526507460, 1795526507363, 1795526507460),
	('01a20db8-3b76-782b-b806-fa7e8cff6db0', '01a20db8-3b76-77b9-ba35-5a7893824f39', '', 'client.registered', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 0, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507458, 204, '', 2, '', 1795526507460, 1795526507363, 1795526507460),
	('01a20db8-3b76-782e-87b3-b0aa7db48f84', '01a20db8-3b76-77b9-ba35-5a7893824f39', '', 'client.registered', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 0, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507458, 204, '', 2, '', 1795526507460, 1795526507363, 1795526507460),
	('01a20db8-3bd1-7e5a-8a99-b417a1b081ad', '01a20db8-3bd1-7dd9-ad48-12195111eb17', '', 'client.activated', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507521, 204, '', 1, '', 1795526507522, 1795526507444, 1795526507522),
	('01a20db8-3bd1-7e54-b8e0-7ea2f9ba771f', '01a20db8-3bd1-7dd9-ad48-12195111eb17', '', 'client.activated', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507522, 204, '', 1, '', 1795526507523, 1795526507444, 1795526507523);
INSERT INTO public.delivery VALUES
	('01a20db8-3bd1-7e59-9996-dec0c2c34a8f', '01a20db8-3bd1-7dd9-ad48-12195111eb17', '', 'client.activated', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507522, 204, '', 1, '', 1795526507523, 1795526507444, 1795526507523),
	('01a20db8-39db-7b8b-ab80-673a6c8f9b4b', '01a20db8-39db-7aed-99c6-ccc43c0e7300', '', 'client.activated', 'RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526506932, 1795526623752),
	('01a20db8-3b76-782d-bf55-6c6bb287f07f', '01a20db8-3b76-77b9-ba35-5a7893824f39', '', 'client.registered', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 0, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507363, 1795526623752),
	('01a20db8-3c41-71e8-af02-d587f113ee6f', '01a20db8-3c41-718e-9ec0-7773d7200832', '', 'client.failed', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507593, 204, '', 1, '', 1795526507594, 1795526507574, 1795526507594),
	('01a20db8-3bd1-7e58-8958-4ad56ff8a3fb', '01a20db8-3bd1-7dd9-ad48-12195111eb17', '', 'client.activated', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507444, 1795526623752),
	('01a20db8-3c41-71ea-8f50-cc7b2e310339', '01a20db8-3c41-718e-9ec0-7773d7200832', '', 'client.failed', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507574, 1795526623752),
	('01a20db8-3a11-74b8-b924-678dfc6f1627', '01a20db8-3a11-7453-82cd-ea16d612fab9', '', 'client.registered', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507058, 204, '', 1, '', 1795526507059, 1795526507024, 1795526507059),
	('01a20db8-3a11-74b2-9521-419d0cd25db7', '01a20db8-3a11-7453-82cd-ea16d612fab9', '', 'client.registered', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507059, 204, '', 0, '', 1795526507059, 1795526507024, 1795526507059),
	('01a20db8-3a11-74b7-99cc-03674730fe95', '01a20db8-3a11-7453-82cd-ea16d612fab9', '', 'client.registered', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507059, 204, '', 0, '', 1795526507059, 1795526507024, 1795526507059),
	('01a20db8-3a21-743c-a782-137acd7fefa3', '01a20db8-3a21-73e2-ae6d-7435d138ef5c', '', 'client.activated', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507089, 204, '', 1, '', 1795526507090, 1795526507037, 1795526507090),
	('01a20db8-3a21-743f-ac37-6b8af9dfef23', '01a20db8-3a21-73e2-ae6d-7435d138ef5c', '', 'client.activated', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507089, 204, '', 1, '', 1795526507090, 1795526507037, 1795526507090),
	('01a20db8-3a21-7440-9874-142d517acb3f', '01a20db8-3a21-73e2-ae6d-7435d138ef5c', '', 'client.activated', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507088, 204, '', 7, '', 1795526507095, 1795526507037, 1795526507095),
	('01a20db8-3a77-71b5-9e05-fac32378a24d', '01a20db8-3a77-7150-a858-465bf7e1e1a3', '', 'client.registered', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507156, 204, '', 2, '', 1795526507158, 1795526507124, 1795526507158),
	('01a20db8-3a77-71b0-8e1d-598f598c6629', '01a20db8-3a77-7150-a858-465bf7e1e1a3', '', 'client.registered', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507157, 204, '', 1, '', 1795526507158, 1795526507124, 1795526507158),
	('01a20db8-3a77-71b4-8bdb-e3bf3b720c50', '01a20db8-3a77-7150-a858-465bf7e1e1a3', '', 'client.registered', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507157, 204, '', 1, '', 1795526507158, 1795526507124, 1795526507158),
	('01a20db8-3a11-74b4-91d8-327e71496436', '01a20db8-3a11-7453-82cd-ea16d612fab9', '', 'client.registered', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507024, 1795526623752),
	('01a20db8-3a21-743e-8bb2-bd2c4035953f', '01a20db8-3a21-73e2-ae6d-7435d138ef5c', '', 'client.activated', 'ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507037, 1795526623752),
	('01a20db8-3a9f-754b-91d7-1f9ca7dc0bfc', '01a20db8-3a9f-7457-9b63-c6433dacbffe', '', 'client.activated', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507188, 204, '', 1, '', 1795526507189, 1795526507144, 1795526507189),
	('01a20db8-3a77-71b2-9613-acdd0c967fea', '01a20db8-3a77-7150-a858-465bf7e1e1a3', '', 'client.registered', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507124, 1795526623752),
	('01a20db8-3a9f-7547-87d8-f67586b276b8', '01a20db8-3a9f-7457-9b63-c6433dacbffe', '', 'client.activated', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507144, 1795526623752),
	('01a20db8-3a9f-7546-b18e-5a3146424d21', '01a20db8-3a9f-7457-9b63-c6433dacbffe', '', 'client.activated', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507188, 204, '', 3, '', 1795526507191, 1795526507144, 1795526507191),
	('01a20db8-3a9f-7549-b45f-8c2632dc4cae', '01a20db8-3a9f-7457-9b63-c6433dacbffe', '', 'client.activated', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507188, 204, '', 1, '', 1795526507189, 1795526507144, 1795526507189),
	('01a20db8-3bfa-71c3-97ca-aa348d27b737', '01a20db8-3bfa-7169-941f-444a355ece09', '', 'client.registered', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 0, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507523, 204, '', 1, '', 1795526507524, 1795526507511, 1795526507524),
	('01a20db8-3bfa-71c7-9b05-aeca15f8cb77', '01a20db8-3bfa-7169-941f-444a355ece09', '', 'client.registered', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 0, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507523, 204, '', 1, '', 1795526507524, 1795526507511, 1795526507524),
	('01a20db8-3bfa-71c8-9fa9-acf574c599b8', '01a20db8-3bfa-7169-941f-444a355ece09', '', 'client.registered', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 0, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507523, 204, '', 3, '', 1795526507526, 1795526507511, 1795526507526),
	('01a20db8-3c30-7728-8e7b-c0f872ef7592', '01a20db8-3c30-76ce-a979-ab51c84db844', '', 'client.failed', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507592, 204, '', 2, '', 1795526507594, 1795526507564, 1795526507594),
	('01a20db8-3c30-772c-b898-d932cd7b4b1d', '01a20db8-3c30-76ce-a979-ab51c84db844', '', 'client.failed', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507593, 204, '', 1, '', 1795526507594, 1795526507564, 1795526507594),
	('01a20db8-3c30-772f-af93-c2c45977400e', '01a20db8-3c30-76ce-a979-ab51c84db844', '', 'client.failed', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507593, 204, '', 1, '', 1795526507594, 1795526507564, 1795526507594),
	('01a20db8-3bfa-71c5-ae85-235c5ed6689f', '01a20db8-3bfa-7169-941f-444a355ece09', '', 'client.registered', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 0, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507511, 1795526623752),
	('01a20db8-3cf1-706c-b11d-a5d74bbae548', '01a20db8-3cf1-7029-ae13-1eba4fc235f9', '', 'client.registered', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507783, 204, '', 3, '', 1795526507786, 1795526507760, 1795526507786),
	('01a20db8-3c30-772a-bda6-a0fd0ba2f5ee', '01a20db8-3c30-76ce-a979-ab51c84db844', '', 'client.failed', '3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507564, 1795526623752),
	('01a20db8-3cf1-706b-8c30-89d5d90ac752', '01a20db8-3cf1-7029-ae13-1eba4fc235f9', '', 'client.registered', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507760, 1795526623752),
	('01a20db8-3d03-70c4-8af0-59e5863237ed', '01a20db8-3d03-704a-85f6-27a550ca66e7', '', 'client.activated', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507763, 1795526623752),
	('01a20db8-3cf1-7069-aa58-fa1f63089803', '01a20db8-3cf1-7029-ae13-1eba4fc235f9', '', 'client.registered', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507782, 204, '', 4, '', 1795526507786, 1795526507760, 1795526507786),
	('01a20db8-3ac0-7410-a7e6-2213f5296d87', '01a20db8-3ac0-73a5-aa76-edd81acbb12b', '', 'client.registered', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 0, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507227, 204, '', 0, '', 1795526507227, 1795526507182, 1795526507227),
	('01a20db8-3ac0-7415-af9f-00767130748f', '01a20db8-3ac0-73a5-aa76-edd81acbb12b', '', 'client.registered', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 0, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507227, 204, '', 0, '', 1795526507227, 1795526507182, 1795526507227),
	('01a20db8-3ac0-7416-a790-c19893a17234', '01a20db8-3ac0-73a5-aa76-edd81acbb12b', '', 'client.registered', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 0, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507226, 204, '', 2, '', 1795526507228, 1795526507182, 1795526507228),
	('01a20db8-3ce3-71f0-ad3b-f65e89259091', '01a20db8-3ce3-71b0-ba0d-3805eafc911f', '', 'client.registered', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507758, 204, '', 1, '', 1795526507759, 1795526507746, 1795526507759),
	('01a20db8-3ce3-71f4-b977-a9d83bb7eda0', '01a20db8-3ce3-71b0-ba0d-3805eafc911f', '', 'client.registered', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507759, 204, '', 1, '', 1795526507760, 1795526507746, 1795526507760),
	('01a20db8-3ce3-71f5-a2bb-c977db5dcae0', '01a20db8-3ce3-71b0-ba0d-3805eafc911f', '', 'client.registered', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507768, 204, '', 1, '', 1795526507769, 1795526507746, 1795526507769),
	('01a20db8-3ced-73e9-9ed3-4a32dbbfd010', '01a20db8-3ced-737d-9993-80d039b4dbaf', '', 'client.activated', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507783, 204, '', 3, '', 1795526507786, 1795526507749, 1795526507786),
	('01a20db8-3ced-73ee-a103-3df237057348', '01a20db8-3ced-737d-9993-80d039b4dbaf', '', 'client.activated', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507783, 204, '', 3, '', 1795526507786, 1795526507749, 1795526507786),
	('01a20db8-3ced-73ef-8b97-fa8e39d5f282', '01a20db8-3ced-737d-9993-80d039b4dbaf', '', 'client.activated', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507783, 204, '', 3, '', 1795526507786, 1795526507749, 1795526507786),
	('01a20db8-3ac0-7413-8d5f-c9a522a70ba3', '01a20db8-3ac0-73a5-aa76-edd81acbb12b', '', 'client.registered', '4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 0, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507182, 1795526623752),
	('01a20db8-3ce3-71f3-afbe-fe2ff2b19231', '01a20db8-3ce3-71b0-ba0d-3805eafc911f', '', 'client.registered', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507746, 1795526623752),
	('01a20db8-3ced-73eb-a0c4-98607b77bf0e', '01a20db8-3ced-737d-9993-80d039b4dbaf', '', 'client.activated', 'x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507749, 1795526623752),
	('01a20db8-3c41-71f1-bc9f-00a252aa430b', '01a20db8-3c41-718e-9ec0-7773d7200832', '', 'client.failed', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507593, 204, '', 1, '', 1795526507594, 1795526507574, 1795526507594),
	('01a20db8-3c41-71f5-b104-c27962c485e1', '01a20db8-3c41-718e-9ec0-7773d7200832', '', 'client.failed', 'nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507592, 204, '', 2, '', 1795526507594, 1795526507574, 1795526507594),
	('01a20db8-3c5c-7b42-935a-19942320b223', '01a20db8-3c5c-75b5-aaa3-2e8ff571af6b', '', 'client.registered', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 0, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507641, 204, '', 2, '', 1795526507643, 1795526507580, 1795526507643),
	('01a20db8-3c5c-7b3a-b3fd-4bb7f475b1d1', '01a20db8-3c5c-75b5-aaa3-2e8ff571af6b', '', 'client.registered', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 0, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507642, 204, '', 1, '', 1795526507643, 1795526507580, 1795526507643),
	('01a20db8-3c5c-7b40-9d50-5d39527a7fea', '01a20db8-3c5c-75b5-aaa3-2e8ff571af6b', '', 'client.registered', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 0, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507642, 204, '', 1, '', 1795526507643, 1795526507580, 1795526507643),
	('01a20db8-3cf1-706e-9d40-df3fec309a7b', '01a20db8-3cf1-7029-ae13-1eba4fc235f9', '', 'client.registered', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507783, 204, '', 3, '', 1795526507786, 1795526507760, 1795526507786),
	('01a20db8-3d03-70c5-89f3-a586ad1dde7e', '01a20db8-3d03-704a-85f6-27a550ca66e7', '', 'client.activated', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507803, 204, '', 0, '', 1795526507803, 1795526507763, 1795526507803),
	('01a20db8-3d03-70c0-8ace-bd9032725655', '01a20db8-3d03-704a-85f6-27a550ca66e7', '', 'client.activated', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507802, 204, '', 1, '', 1795526507803, 1795526507763, 1795526507803),
	('01a20db8-3d03-70c6-8943-980bde4b648c', '01a20db8-3d03-704a-85f6-27a550ca66e7', '', 'client.activated', 'Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507802, 204, '', 1, '', 1795526507803, 1795526507763, 1795526507803),
	('01a20db8-3c5c-7b3e-8510-5bece714427b', '01a20db8-3c5c-75b5-aaa3-2e8ff571af6b', '', 'client.registered', '0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg', 0, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507580, 1795526623752),
	('01a20db8-3d13-761c-8f7b-d9f2be094c06', '01a20db8-3d13-7446-8fd8-1cc50da0f655', '', 'client.registered', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 1, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507835, 204, '', 1, '', 1795526507836, 1795526507786, 1795526507836),
	('01a20db8-3d13-7617-a226-291501142d64', '01a20db8-3d13-7446-8fd8-1cc50da0f655', '', 'client.registered', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 1, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507835, 204, '', 1, '', 1795526507836, 1795526507786, 1795526507836),
	('01a20db8-3d13-761d-820e-db24790c214a', '01a20db8-3d13-7446-8fd8-1cc50da0f655', '', 'client.registered', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 1, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507834, 204, '', 2, '', 1795526507836, 1795526507786, 1795526507836),
	('01a20db8-3d3e-73f5-898c-4b49e3c4f2d2', '01a20db8-3d3e-738c-a732-6d2ba057516a', '', 'client.activated', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 2, '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'delivered', DEFAULT, 1, 1, 0, 1795526507859, 204, '', 1, '', 1795526507860, 1795526507822, 1795526507860),
	('01a20db8-3d3e-73f0-908b-0736215e8c3e', '01a20db8-3d3e-738c-a732-6d2ba057516a', '', 'client.activated', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 2, '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'delivered', DEFAULT, 1, 1, 0, 1795526507859, 204, '', 1, '', 1795526507860, 1795526507822, 1795526507860),
	('01a20db8-3d3e-73f6-9444-4c7c9e6324a7', '01a20db8-3d3e-738c-a732-6d2ba057516a', '', 'client.activated', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 2, '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '01a20db8-3452-7753-b20d-1832d9c5d3d1', 'delivered', DEFAULT, 1, 1, 0, 1795526507859, 204, '', 1, '', 1795526507860, 1795526507822, 1795526507860),
	('01a20db8-367b-75d9-8c99-f6126210a220', '01a20db8-367b-7557-937b-ac1b84519e7a', '', 'client.deactivated', '6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 3, '01a20db8-340b-7ed3-82ba-3c976911ad39', 'slow', 'http://127.0.0.1:18476/slow', '01a20db8-340b-7ed3-82ba-3c976911ad39', 'sending', DEFAULT, 1, 2, 0, 1795526578616, 0, 'timeout', 10001, '', 0, 1795526506079, 1795526588617),
	('01a20db8-370a-7766-987e-d8310502e090', '01a20db8-370a-76ba-bf16-092dad4c4188', '', 'client.deactivated', 'w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 3, '01a20db8-340b-7ed3-82ba-3c976911ad39', 'slow', 'http://127.0.0.1:18476/slow', '01a20db8-340b-7ed3-82ba-3c976911ad39', 'sending', DEFAULT, 1, 2, 0, 1795526579657, 0, 'timeout', 10013, '', 0, 1795526506156, 1795526589670),
	('01a20db8-3d13-761a-afb3-7b398c85e2d9', '01a20db8-3d13-7446-8fd8-1cc50da0f655', '', 'client.registered', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 1, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507786, 1795526623752),
	('01a20db8-3d3e-73f2-a6eb-f240d230a5a7', '01a20db8-3d3e-738c-a732-6d2ba057516a', '', 'client.activated', 'NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 2, '01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '01a20db8-343b-7a6e-9b23-733214ffb203', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795526507822, 1795526623752);

INSERT INTO public.delivery_attempt VALUES
	('01a20db8-3567-765f-b994-3460e5a37af4', 1, 1, 1, 1795526505929, 1795526505934, 'delivered', 204, '', ''),
	('01a20db8-3567-765c-ae5b-c7b26706e03f', 1, 1, 1, 1795526505930, 1795526505934, 'failed', 503, 'status 503', ''),
	('01a20db8-3567-765e-9933-f7dab75f931d', 1, 1, 1, 1795526505930, 1795526505934, 'delivered', 204, '', ''),
	('01a20db8-3567-7658-a4e6-7d7c4fa9d41d', 1, 1, 1, 1795526505929, 1795526505935, 'delivered', 204, '', ''),
	('01a20db8-35c6-7bba-96fd-5b12bcba81d0', 1, 1, 1, 1795526505973, 1795526505977, 'delivered', 204, '', ''),
	('01a20db8-35c6-7bb4-8f54-7d643a1143bb', 1, 1, 1, 1795526505973, 1795526505977, 'delivered', 204, '', ''),
	('01a20db8-35c6-7bb6-bb48-605f8e2d48db', 1, 1, 1, 1795526505973, 1795526505977, 'failed', 503, 'status 503', ''),
	('01a20db8-35c6-7bb9-befb-dc61a94f7c5c', 1, 1, 1, 1795526505973, 1795526505977, 'delivered', 204, '', ''),
	('01a20db8-35c6-7bb8-8d89-f17a2310ba64', 1, 1, 1, 1795526505973, 1795526505977, 'failed', 410, 'status 410', ''),
	('01a20db8-35d3-767c-8b35-a4fb6253d0ae', 1, 1, 1, 1795526505984, 1795526505984, 'delivered', 204, '', ''),
	('01a20db8-35d3-7670-bd2d-34fcaedad39c', 1, 1, 1, 1795526505983, 1795526505984, 'failed', 503, 'status 503', ''),
	('01a20db8-35d3-766d-a300-ffbf6b525b29', 1, 1, 1, 1795526505984, 1795526505985, 'delivered', 204, '', ''),
	('01a20db8-35d3-7671-8e5a-c72fef80c1ae', 1, 1, 1, 1795526505983, 1795526505986, 'delivered', 204, '', ''),
	('01a20db8-362e-7e30-a6e8-f4a815912f33', 1, 1, 1, 1795526506089, 1795526506090, 'failed', 503, 'status 503', ''),
	('01a20db8-362e-7e2c-8349-95959e89031c', 1, 1, 1, 1795526506090, 1795526506091, 'delivered', 204, '', ''),
	('01a20db8-362e-7e34-8b41-ae40744a572d', 1, 1, 1, 1795526506090, 1795526506091, 'delivered', 204, '', ''),
	('01a20db8-362e-7e35-81cd-2a224586f861', 1, 1, 1, 1795526506090, 1795526506092, 'delivered', 204, '', ''),
	('01a20db8-3686-7522-8b3c-df7205489dc5', 1, 1, 1, 1795526506157, 1795526506158, 'delivered', 204, '', ''),
	('01a20db8-3686-751d-ab00-53e505d575d4', 1, 1, 1, 1795526506157, 1795526506158, 'delivered', 204, '', ''),
	('01a20db8-367b-75dd-9335-aaaae7899202', 1, 1, 1, 1795526506157, 1795526506158, 'failed', 503, 'status 503', ''),
	('01a20db8-3686-7523-b98a-f02b0559a748', 1, 1, 1, 1795526506158, 1795526506158, 'delivered', 204, '', ''),
	('01a20db8-367b-75e1-a984-44b6d69d4d4b', 1, 1, 1, 1795526506158, 1795526506159, 'delivered', 204, '', ''),
	('01a20db8-367b-75dc-bf43-17bf66ac8eb2', 1, 1, 1, 1795526506159, 1795526506159, 'delivered', 204, '', ''),
	('01a20db8-367b-75e0-89f3-4cb0fdf8a58d', 1, 1, 1, 1795526506158, 1795526506159, 'delivered', 204, '', ''),
	('01a20db8-3686-751f-bc90-2754e56aafd1', 1, 1, 1, 1795526506157, 1795526506159, 'failed', 503, 'status 503', ''),
	('01a20db8-36a6-7b20-ac4f-3f30584b49e4', 1, 1, 1, 1795526506183, 1795526506183, 'delivered', 204, '', ''),
	('01a20db8-36a6-7b21-847b-e562a473654e', 1, 1, 1, 1795526506183, 1795526506183, 'delivered', 204, '', ''),
	('01a20db8-36a6-7b1b-b482-d51c5978d23c', 1, 1, 1, 1795526506182, 1795526506184, 'delivered', 204, '', ''),
	('01a20db8-36a6-7b1e-b0e3-30b7636d720f', 1, 1, 1, 1795526506182, 1795526506184, 'failed', 503, 'status 503', ''),
	('01a20db8-370a-7769-ad40-bf0d74688344', 1, 1, 1, 1795526506289, 1795526506289, 'delivered', 204, '', ''),
	('01a20db8-370a-776d-a0c1-802343b661f7', 1, 1, 1, 1795526506288, 1795526506290, 'delivered', 204, '', ''),
	('01a20db8-370a-776c-8718-7f3acaaec6e7', 1, 1, 1, 1795526506289, 1795526506290, 'delivered', 204, '', ''),
	('01a20db8-372a-7a4b-ae46-80c0e73414f7', 1, 1, 1, 1795526506333, 1795526506335, 'delivered', 204, '', ''),
	('01a20db8-372a-7a48-be9c-410e1fb45f3c', 1, 1, 1, 1795526506333, 1795526506335, 'delivered', 204, '', ''),
	('01a20db8-372a-7a6c-a73b-b5034ff10a82', 1, 1, 1, 1795526506333, 1795526506335, 'delivered', 204, '', ''),
	('01a20db8-3766-728e-9b02-65fb9c3d76e2', 1, 1, 1, 1795526506389, 1795526506390, 'delivered', 204, '', ''),
	('01a20db8-3766-7293-84d2-f2a2b01d8e42', 1, 1, 1, 1795526506389, 1795526506390, 'delivered', 204, '', ''),
	('01a20db8-3766-7292-9b6d-0492e1f506a6', 1, 1, 1, 1795526506389, 1795526506390, 'delivered', 204, '', ''),
	('01a20db8-37c2-7642-acfc-d7fa28e2aa6d', 1, 1, 1, 1795526506463, 1795526506463, 'delivered', 204, '', ''),
	('01a20db8-37c2-7649-867b-78c46c75db4a', 1, 1, 1, 1795526506463, 1795526506463, 'delivered', 204, '', ''),
	('01a20db8-37c2-7648-a3d2-5f009712f981', 1, 1, 1, 1795526506463, 1795526506463, 'delivered', 204, '', ''),
	('01a20db8-37cc-71f8-8ed4-1d2477bc7cd1', 1, 1, 1, 1795526506472, 1795526506473, 'delivered', 204, '', ''),
	('01a20db8-37cc-720f-8b51-12e2127f80be', 1, 1, 1, 1795526506472, 1795526506473, 'delivered', 204, '', ''),
	('01a20db8-37cc-71fc-a3d2-0d3fcef72b40', 1, 1, 1, 1795526506472, 1795526506473, 'delivered', 204, '', ''),
	('01a20db8-3801-77d8-9362-02544ec4762c', 1, 1, 1, 1795526506541, 1795526506541, 'delivered', 204, '', ''),
	('01a20db8-3801-77df-adb0-36c8c7e36203', 1, 1, 1, 1795526506541, 1795526506541, 'delivered', 204, '', ''),
	('01a20db8-3801-77de-ac1e-d4021217673e', 1, 1, 1, 1795526506541, 1795526506548, 'delivered', 204, '', ''),
	('01a20db8-380c-7703-a0ce-2a613a5e6205', 1, 1, 1, 1795526506559, 1795526506561, 'delivered', 204, '', ''),
	('01a20db8-380c-7706-ad82-e34cbca57368', 1, 1, 1, 1795526506560, 1795526506561, 'delivered', 204, '', ''),
	('01a20db8-380c-771f-88e0-7bacbb8dc8f5', 1, 1, 1, 1795526506563, 1795526506563, 'delivered', 204, '', ''),
	('01a20db8-383a-773a-b07e-3e625eac9447', 1, 1, 1, 1795526506594, 1795526506598, 'delivered', 204, '', ''),
	('01a20db8-383a-7740-921a-3ada89b085cb', 1, 1, 1, 1795526506593, 1795526506598, 'delivered', 204, '', ''),
	('01a20db8-383a-773f-8c0d-2ea38fa87170', 1, 1, 1, 1795526506594, 1795526506598, 'delivered', 204, '', ''),
	('01a20db8-3843-7505-947b-1c32b37a2dc4', 1, 1, 1, 1795526506615, 1795526506615, 'delivered', 204, '', ''),
	('01a20db8-3843-74e2-9716-8033fcb04871', 1, 1, 1, 1795526506615, 1795526506615, 'delivered', 204, '', ''),
	('01a20db8-3843-7504-9d55-c5cc90335ada', 1, 1, 1, 1795526506615, 1795526506615, 'delivered', 204, '', ''),
	('01a20db8-3995-7561-b342-e6ca0b5aaa85', 1, 1, 1, 1795526506939, 1795526506939, 'delivered', 204, '', ''),
	('01a20db8-3995-755e-bc28-f6937e4d6db2', 1, 1, 1, 1795526506938, 1795526506939, 'delivered', 204, '', ''),
	('01a20db8-3995-7569-82a0-caff66208d64', 1, 1, 1, 1795526506938, 1795526506939, 'delivered', 204, '', ''),
	('01a20db8-39db-7b88-b6bc-5953923fcf01', 1, 1, 1, 1795526507066, 1795526507067, 'delivered', 204, '', ''),
	('01a20db8-39db-7b8d-928d-65d6d0f7165a', 1, 1, 1, 1795526507067, 1795526507067, 'delivered', 204, '', ''),
	('01a20db8-39db-7b8e-8864-ee686f690072', 1, 1, 1, 1795526507066, 1795526507069, 'delivered', 204, '', ''),
	('01a20db8-3a11-74b8-b924-678dfc6f1627', 1, 1, 1, 1795526507058, 1795526507059, 'delivered', 204, '', ''),
	('01a20db8-3a11-74b2-9521-419d0cd25db7', 1, 1, 1, 1795526507059, 1795526507059, 'delivered', 204, '', ''),
	('01a20db8-3a11-74b7-99cc-03674730fe95', 1, 1, 1, 1795526507059, 1795526507059, 'delivered', 204, '', ''),
	('01a20db8-3a21-743c-a782-137acd7fefa3', 1, 1, 1, 1795526507089, 1795526507090, 'delivered', 204, '', ''),
	('01a20db8-3a21-743f-ac37-6b8af9dfef23', 1, 1, 1, 1795526507089, 1795526507090, 'delivered', 204, '', ''),
	('01a20db8-3a21-7440-9874-142d517acb3f', 1, 1, 1, 1795526507088, 1795526507095, 'delivered', 204, '', ''),
	('01a20db8-3a77-71b5-9e05-fac32378a24d', 1, 1, 1, 1795526507156, 1795526507158, 'delivered', 204, '', ''),
	('01a20db8-3a77-71b0-8e1d-598f598c6629', 1, 1, 1, 1795526507157, 1795526507158, 'delivered', 204, '', ''),
	('01a20db8-3a77-71b4-8bdb-e3bf3b720c50', 1, 1, 1, 1795526507157, 1795526507158, 'delivered', 204, '', ''),
	('01a20db8-3a9f-754b-91d7-1f9ca7dc0bfc', 1, 1, 1, 1795526507188, 1795526507189, 'delivered', 204, '', ''),
	('01a20db8-3a9f-7549-b45f-8c2632dc4cae', 1, 1, 1, 1795526507188, 1795526507189, 'delivered', 204, '', ''),
	('01a20db8-3a9f-7546-b18e-5a3146424d21', 1, 1, 1, 1795526507188, 1795526507191, 'delivered', 204, '', ''),
	('01a20db8-3ac0-7410-a7e6-2213f5296d87', 1, 1, 1, 1795526507227, 1795526507227, 'delivered', 204, '', ''),
	('01a20db8-3ac0-7415-af9f-00767130748f', 1, 1, 1, 1795526507227, 1795526507227, 'delivered', 204, '', ''),
	('01a20db8-3ac0-7416-a790-c19893a17234', 1, 1, 1, 1795526507226, 1795526507228, 'delivered', 204, '', ''),
	('01a20db8-3b76-782f-8ffb-cca75e93d706', 1, 1, 1, 1795526507458, 1795526507460, 'delivered', 204, '', ''),
	('01a20db8-3b76-782b-b806-fa7e8cff6db0', 1, 1, 1, 1795526507458, 1795526507460, 'delivered', 204, '', ''),
	('01a20db8-3b76-782e-87b3-b0aa7db48f84', 1, 1, 1, 1795526507458, 1795526507460, 'delivered', 204, '', ''),
	('01a20db8-3bd1-7e5a-8a99-b417a1b081ad', 1, 1, 1, 1795526507521, 1795526507522, 'delivered', 204, '', ''),
	('01a20db8-3bd1-7e59-9996-dec0c2c34a8f', 1, 1, 1, 1795526507522, 1795526507523, 'delivered', 204, '', ''),
	('01a20db8-3bd1-7e54-b8e0-7ea2f9ba771f', 1, 1, 1, 1795526507522, 1795526507523, 'delivered', 204, '', ''),
	('01a20db8-3bfa-71c3-97ca-aa348d27b737', 1, 1, 1, 1795526507523, 1795526507524, 'delivered', 204, '', ''),
	('01a20db8-3bfa-71c7-9b05-aeca15f8cb77', 1, 1, 1, 1795526507523, 1795526507524, 'delivered', 204, '', ''),
	('01a20db8-3bfa-71c8-9fa9-acf574c599b8', 1, 1, 1, 1795526507523, 1795526507526, 'delivered', 204, '', ''),
	('01a20db8-3c41-71e8-af02-d587f113ee6f', 1, 1, 1, 1795526507593, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3c30-772f-af93-c2c45977400e', 1, 1, 1, 1795526507593, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3c30-7728-8e7b-c0f872ef7592', 1, 1, 1, 1795526507592, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3c41-71f5-b104-c27962c485e1', 1, 1, 1, 1795526507592, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3c30-772c-b898-d932cd7b4b1d', 1, 1, 1, 1795526507593, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3c41-71f1-bc9f-00a252aa430b', 1, 1, 1, 1795526507593, 1795526507594, 'delivered', 204, '', ''),
	('01a20db8-3ce3-71f0-ad3b-f65e89259091', 1, 1, 1, 1795526507758, 1795526507759, 'delivered', 204, '', ''),
	('01a20db8-3ce3-71f4-b977-a9d83bb7eda0', 1, 1, 1, 1795526507759, 1795526507760, 'delivered', 204, '', ''),
	('01a20db8-3ce3-71f5-a2bb-c977db5dcae0', 1, 1, 1, 1795526507768, 1795526507769, 'delivered', 204, '', ''),
	('01a20db8-3c5c-7b42-935a-19942320b223', 1, 1, 1, 1795526507641, 1795526507643, 'delivered', 204, '', ''),
	('01a20db8-3c5c-7b3a-b3fd-4bb7f475b1d1', 1, 1, 1, 1795526507642, 1795526507643, 'delivered', 204, '', ''),
	('01a20db8-3c5c-7b40-9d50-5d39527a7fea', 1, 1, 1, 1795526507642, 1795526507643, 'delivered', 204, '', ''),
	('01a20db8-3cf1-706c-b11d-a5d74bbae548', 1, 1, 1, 1795526507783, 1795526507786, 'delivered', 204, '', ''),
	('01a20db8-3cf1-7069-aa58-fa1f63089803', 1, 1, 1, 1795526507782, 1795526507786, 'delivered', 204, '', '');
INSERT INTO public.delivery_attempt VALUES
	('01a20db8-3ced-73ee-a103-3df237057348', 1, 1, 1, 1795526507783, 1795526507786, 'delivered', 204, '', ''),
	('01a20db8-3ced-73ef-8b97-fa8e39d5f282', 1, 1, 1, 1795526507783, 1795526507786, 'delivered', 204, '', ''),
	('01a20db8-3ced-73e9-9ed3-4a32dbbfd010', 1, 1, 1, 1795526507783, 1795526507786, 'delivered', 204, '', ''),
	('01a20db8-3cf1-706e-9d40-df3fec309a7b', 1, 1, 1, 1795526507783, 1795526507786, 'delivered', 204, '', ''),
	('01a20db8-3d03-70c5-89f3-a586ad1dde7e', 1, 1, 1, 1795526507803, 1795526507803, 'delivered', 204, '', ''),
	('01a20db8-3d03-70c0-8ace-bd9032725655', 1, 1, 1, 1795526507802, 1795526507803, 'delivered', 204, '', ''),
	('01a20db8-3d03-70c6-8943-980bde4b648c', 1, 1, 1, 1795526507802, 1795526507803, 'delivered', 204, '', ''),
	('01a20db8-3d13-761c-8f7b-d9f2be094c06', 1, 1, 1, 1795526507835, 1795526507836, 'delivered', 204, '', ''),
	('01a20db8-3d13-7617-a226-291501142d64', 1, 1, 1, 1795526507835, 1795526507836, 'delivered', 204, '', ''),
	('01a20db8-3d13-761d-820e-db24790c214a', 1, 1, 1, 1795526507834, 1795526507836, 'delivered', 204, '', ''),
	('01a20db8-3d3e-73f5-898c-4b49e3c4f2d2', 1, 1, 1, 1795526507859, 1795526507860, 'delivered', 204, '', ''),
	('01a20db8-3d3e-73f0-908b-0736215e8c3e', 1, 1, 1, 1795526507859, 1795526507860, 'delivered', 204, '', ''),
	('01a20db8-3d3e-73f6-9444-4c7c9e6324a7', 1, 1, 1, 1795526507859, 1795526507860, 'delivered', 204, '', ''),
	('01a20db8-367b-75d9-8c99-f6126210a220', 1, 1, 1, 1795526506158, 1795526516173, 'failed', 0, 'timeout', ''),
	('01a20db8-370a-7766-987e-d8310502e090', 1, 1, 1, 1795526506289, 1795526516317, 'failed', 0, 'timeout', ''),
	('01a20db8-370a-776b-b8ee-9025639a1fd3', 1, 1, 1, 1795526536851, 1795526536852, 'failed', 503, 'status 503', ''),
	('01a20db8-367b-75d9-8c99-f6126210a220', 1, 2, 2, 1795526578616, 1795526588617, 'failed', 0, 'timeout', ''),
	('01a20db8-370a-7766-987e-d8310502e090', 1, 2, 2, 1795526579657, 1795526589670, 'failed', 0, 'timeout', ''),
	('01a20db8-372a-7a4a-a7b6-08a4b4311b36', 1, 1, 1, 1795526597151, 1795526597207, 'failed', 503, 'status 503', ''),
	('01a20db9-b11e-71f5-84f4-f5aac28234e0', 1, 1, 1, 1795526603201, 1795526603203, 'delivered', 204, '', ''),
	('01a20db9-b11e-71f2-9cec-36df4c170fb7', 1, 1, 1, 1795526603201, 1795526603203, 'delivered', 204, '', ''),
	('01a20db9-b11e-71f6-8533-a1fa58eb1ee8', 1, 1, 1, 1795526603200, 1795526603203, 'delivered', 204, '', ''),
	('01a20db9-b1b7-71ec-bb02-d448e658c4dc', 1, 1, 1, 1795526603281, 1795526603282, 'delivered', 204, '', ''),
	('01a20db9-b1b7-71f1-8906-9c07a9d47d59', 1, 1, 1, 1795526603281, 1795526603282, 'delivered', 204, '', ''),
	('01a20db9-b1b7-71ef-80cf-23c0a8927507', 1, 1, 1, 1795526603281, 1795526603282, 'delivered', 204, '', ''),
	('01a20db9-b2ed-759e-89ab-7ac5c3c575a5', 1, 1, NULL, 1795526603575, 1795526623664, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20db9-b2ed-75a0-ade2-00d8f15c3371', 1, 1, NULL, 1795526603575, 1795526623664, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20db9-b2ed-75a1-b1fb-740fb6a4d474', 1, 1, NULL, 1795526603575, 1795526623664, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20db9-b2ed-759c-b8a8-e0caff1e32aa', 1, 1, NULL, 1795526603575, 1795526623664, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20db9-b2ed-759e-89ab-7ac5c3c575a5', 1, 2, 1, 1795526623672, 1795526623700, 'delivered', 204, '', ''),
	('01a20db9-b2ed-75a1-b1fb-740fb6a4d474', 1, 2, 1, 1795526623675, 1795526623701, 'delivered', 204, '', ''),
	('01a20db9-b2ed-75a0-ade2-00d8f15c3371', 1, 2, 1, 1795526623673, 1795526623701, 'delivered', 204, '', ''),
	('01a20dba-0269-7e13-8728-1131d5e82ada', 1, 1, 1, 1795526624008, 1795526624008, 'delivered', 204, '', ''),
	('01a20dba-0269-7e10-9e49-9a664bbb64ac', 1, 1, 1, 1795526624008, 1795526624008, 'delivered', 204, '', ''),
	('01a20dba-0269-7e14-bc35-eef0bc065319', 1, 1, 1, 1795526624008, 1795526624008, 'delivered', 204, '', ''),
	('01a20dba-04fb-79dc-b9a3-54dcc8dd11f6', 1, 1, 1, 1795526624584, 1795526624594, 'delivered', 204, '', ''),
	('01a20dba-04fb-79db-a634-7766c2032983', 1, 1, 1, 1795526624584, 1795526624594, 'delivered', 204, '', ''),
	('01a20dba-04fb-79da-8cff-b4044ec0a9b8', 1, 1, 1, 1795526624584, 1795526624594, 'delivered', 204, '', ''),
	('01a20dba-0579-74fd-bfc1-7392cec96535', 1, 1, 1, 1795526624716, 1795526624734, 'delivered', 204, '', ''),
	('01a20dba-0579-7500-94a3-8950bef93474', 1, 1, 1, 1795526624717, 1795526624734, 'delivered', 204, '', ''),
	('01a20dba-0579-7501-9773-d6b8caf384c6', 1, 1, 1, 1795526624716, 1795526624734, 'delivered', 204, '', '');

INSERT INTO public.difference VALUES
	('Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'locked', '[]', 1795526508063),
	('NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'missing', '[]', 1795526508127),
	('x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'changed', '["clientName"]', 1795526508152);

INSERT INTO public.endpoint VALUES
	('01a20db8-3431-7be6-9c7a-c8ab2e241ed8', 'ok', 'http://127.0.0.1:18476/ok', '', '["*"]', '["*"]', '', 'v1', true, '', 0, 'dump:n9eJf-Du7dEcv3BltxlgJS3mapPWtLDpTQxMr3gNOnpikL0QeTQzOG1OVvRh9-fYAlj_XyQhdIcaraEamu2rfzXRVL1jbYc7r7l7LkG_WyVGQAB6tk-WzI9_tmIwUiPfyUw41pyVzTXCVQk2FBzQy_StR1ZQfljB_9bzlozl4xIsevhr0C_rhLruDwzAJhsI8G2OTJ4qwQBWckDsIPxBmQkDgFACKghKWl9dsg', 'AT0=', 'whpk_v7qn0J62gvnMGHp/K7N+t8LcdEcGBWtYSQ3YNM3n8D4=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795526505522, 1795526505522, 1),
	('01a20db8-3447-7d2b-b61c-dc7bcb45ef23', 'v1a', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'v1a', true, '', 0, 'dump:4Al4wUGw6Dh0ZFdVdkr5fvRV2ytQ-hljEYHECskJrVou1b7Z4Su2yW0eEddep8u4CASkvN7QnaLXudN4rEuwzkkzKk5GxGK_3ACrGRoEsGhNCaCdKDz3BqhiRi2naKr91FmeDFfQfpsS-IUCbYVYl7Hgx2lQA6jTGNxUHgbLqEXVjLFVIe3isbc4v3qi4Qbc_wy4FQVuCxeNDAJL5MSAqn7PAyh-6grpf4TrgA', 'iBg=', 'whpk_H7P/8gVGuNHjBqEbfRBdWhD1/v2260i1wExYjo8o5Iw=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795526505544, 1795526505544, 1),
	('01a20db8-3452-7753-b20d-1832d9c5d3d1', 'both', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'both', true, '', 0, 'dump:txlm_0bVFKiNRKjFSxfwotkCZrG0xifiDp1g8WYEWVw4fBlE8qHnHbtpB9zBl6X_v4YwYAOWLgI6F1YhvK7PKEmOZY6VqTssfJQpeobxxJMGb2wcxzHCoE82vqjoUxBowKyARAZi9-69CEIM5N5ZaJBXyyirho5ZcDfobJ1DtugsZSHZ1qrJvSCXN0LKFZcqeKaWMJCHDyA9Q61oZ6I3KjmSkKbo4f4ymmINrg', 'kvI=', 'whpk_rSiFiNvEiQH/sp+YUYNJur1pSL0SyiJWIQ3V+B0tANM=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795526505555, 1795526505555, 1),
	('01a20db8-340b-7ed3-82ba-3c976911ad39', 'slow', 'http://127.0.0.1:18476/slow', '', '["client.deactivated"]', '["*"]', '', 'v1', true, '', 0, 'dump:H29N98Q-VodfVPx8qlnpbOmWAggiqNuhzGSckHUIj3XWUGTsQT1TTZ71IowU1tZzYpT53qHR15fIjuGOIDKvOd96-W9YIxtys64qVNWVmIL4NTvagzHCxdoTdJGxsheCGgVqr4kobo_6TKiZhC6SRHKbpYDOW8ZW48hjMVL11-T9YDHqQtKJFwvvX0pkNspBCJ6fs_FIgPvVK3xwt2q1UQrdzASeqO0eZpXsxw', 'mNs=', 'whpk_JWCD410BWvUJe0U1MbMCJEAfGoGSPfM7uHr/gnOv0O0=', '', '', '', 0, 4, 1795526516173, 0, '{"id":"ada"}', 1795526505494, 1795526505494, 1),
	('01a20db8-3445-7839-9513-bf51fdb6b4d7', 'gone', 'http://127.0.0.1:18476/gone', '', '["client.activated"]', '["*"]', '', 'v1', false, 'gone', 1795526505977, 'dump:A6yuyZBU0rjBphOfRAXyw8erBPsM3tRN9amQMWNoEuXw28DpIvi9vYmoHIWqVuD1ZUyiHmijyAxEz-qDFFSwY4xLT9eNsz3ssIwsQA8jTbB5wOM2zrj-TlRXpQrWYqP05Q3SPfFRe9Ntl2nLPQBtfFrFrT7hCtR41a9wgyDfOU7fnQnDcYQYUnLml62dILf-ZCk-jFZdpxpR0U9U29xITIqxwFERWBntg3xcIw', 'PFY=', 'whpk_8GiXTQa46M8necZU2F1fGQaJsnjK6MQE3n+piuzXCXs=', '', '', '', 0, 1, 1795526505977, 0, '{"id":"ada"}', 1795526505542, 1795526505977, 2),
	('01a20db8-343b-7a6e-9b23-733214ffb203', 'busy', 'http://127.0.0.1:18476/busy', '', '["client.*"]', '["*"]', '', 'v1', false, 'admin', 1795526623752, 'dump:1MJpT_IJhHFmtJsWBv6q6KCr5yPw50eRE1rS60LWYau-kbrFjdvTC45nvz2R0G0pglFoneEXeG6g6gHRXv7KZhevX9qfhpU9OiBM-0OkUnUSEi7jS498HO3wlpZnv3E7h3T3Atu2O7-HAtCSnq2wsWSrNIMNmqNgCbBLfF2c0ZQvYLEWBIuMrzZQcS9D_Ll3vgQT_Xj2_VL-RuyKvK1PY5YL3XKme2XIuOhZuw', '+ug=', 'whpk_HLrw3XFdfjDsCh5Dqjy0Y6m1vaXK8sGC/e2TdQb94dE=', '', '', '', 0, 7, 1795526505934, 1795526717207, '{"id":"ada"}', 1795526505532, 1795526623752, 2);

INSERT INTO public.goose_db_version VALUES
	(1, 0, true, '2026-11-24 13:21:44.946983'),
	(2, 1, true, '2026-11-24 13:21:45.006647');

INSERT INTO public.idp_call VALUES
	('nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'update', '{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 0, 1795530206658, '', true, false, ''),
	('RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'update', '{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 2, 1795526868908, '', false, false, ''),
	('_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo', 'register', '{}', 'vera', 1, 1795526684306, '', true, false, ''),
	('6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'read', '{}', 'system:import', 1, 1795526685341, '5WONCL27BGV7XMEA4QZMYKVUBU', true, false, ''),
	('mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A', 'remove', '{}', 'vera', 2, 1795526869292, '', true, false, '');

INSERT INTO public.initial_token VALUES
	('0efff6e17c5e7260cee3b4a22892135f5acda31efbc278c31de268943741c3bb', 'bank', 'free', 2, 1795612907083, 'ada'),
	('92514e136b3602bf346aa6845c298b411350991eb109e602e73f730237eaf812', 'bank', 'free', 4, 1795612907095, 'ada');

INSERT INTO public.message VALUES
	('01a20db8-3567-759b-a720-7f75b7870d11', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:45.827Z","data":{"eventId":"01a20db8-3567-759b-a720-7f75b7870d11","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-35c6-7b32-ac30-e25915215989', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:45.888Z","data":{"eventId":"01a20db8-35c6-7b32-ac30-e25915215989","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs","providerClientId":"assigned-6JR5HP4T2C7HH4KTGPNSD7JJ3F","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-35d3-7615-863f-e952e0632499', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:45.938Z","data":{"eventId":"01a20db8-35d3-7615-863f-e952e0632499","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-362e-7d6c-b8dd-3a017ed6a6fb', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:46.009Z","data":{"eventId":"01a20db8-362e-7d6c-b8dd-3a017ed6a6fb","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk","providerClientId":"assigned-64QFGQPUUIIBGQNHZSSCWK3K27","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-367b-7557-937b-ac1b84519e7a', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:21:46.079Z","data":{"eventId":"01a20db8-367b-7557-937b-ac1b84519e7a","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk","providerClientId":"assigned-64QFGQPUUIIBGQNHZSSCWK3K27","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20db8-3686-74a6-9787-bfa4ea46f2ed', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.115Z","data":{"eventId":"01a20db8-3686-74a6-9787-bfa4ea46f2ed","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-36a6-7a46-a36f-428fb84a08af', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:46.129Z","data":{"eventId":"01a20db8-36a6-7a46-a36f-428fb84a08af","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s","providerClientId":"assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-370a-76ba-bf16-092dad4c4188', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:21:46.156Z","data":{"eventId":"01a20db8-370a-76ba-bf16-092dad4c4188","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s","providerClientId":"assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}', ''),
	('01a20db8-372a-79c4-bff8-d949482dcfc2', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.281Z","data":{"eventId":"01a20db8-372a-79c4-bff8-d949482dcfc2","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3766-7207-ae1c-3be687917ee2', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:46.317Z","data":{"eventId":"01a20db8-3766-7207-ae1c-3be687917ee2","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co","providerClientId":"assigned-FLT5Q362RFFUOB7HG3K76X6AYS","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-37c2-7573-9448-d6dd39dedda1', '', '{"type":"client.updated","timestamp":"2026-11-24T13:21:46.412Z","data":{"eventId":"01a20db8-37c2-7573-9448-d6dd39dedda1","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co","providerClientId":"assigned-FLT5Q362RFFUOB7HG3K76X6AYS","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}', ''),
	('01a20db8-37cb-7bbf-be94-3eb83bf58e99', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.442Z","data":{"eventId":"01a20db8-37cb-7bbf-be94-3eb83bf58e99","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3801-774b-8b3f-3afc78f83459', '', '{"type":"client.failed","timestamp":"2026-11-24T13:21:46.472Z","data":{"eventId":"01a20db8-3801-774b-8b3f-3afc78f83459","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"2yilgfhDKw_aMbjnVj5Y0M9OZ3Rn1lncyjLFSvwmtLE","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}', ''),
	('01a20db8-3995-750e-89e9-70a104f0cd89', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.900Z","data":{"eventId":"01a20db8-3995-750e-89e9-70a104f0cd89","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3bfa-7169-941f-444a355ece09', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.511Z","data":{"eventId":"01a20db8-3bfa-7169-941f-444a355ece09","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3c30-76ce-a979-ab51c84db844', '', '{"type":"client.failed","timestamp":"2026-11-24T13:21:47.564Z","data":{"eventId":"01a20db8-3c30-76ce-a979-ab51c84db844","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"3ZZXciogDBfFkAyZXEfeu_Crx1gQB067Q5W8RmquVak","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3cf1-7029-ae13-1eba4fc235f9', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.760Z","data":{"eventId":"01a20db8-3cf1-7029-ae13-1eba4fc235f9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3d03-704a-85f6-27a550ca66e7', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.763Z","data":{"eventId":"01a20db8-3d03-704a-85f6-27a550ca66e7","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg","providerClientId":"assigned-6ZBAD4P7FXRT5MQLJNZJHUN6KK","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3d13-7446-8fd8-1cc50da0f655', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.786Z","data":{"eventId":"01a20db8-3d13-7446-8fd8-1cc50da0f655","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3d3e-738c-a732-6d2ba057516a', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.822Z","data":{"eventId":"01a20db8-3d3e-738c-a732-6d2ba057516a","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII","providerClientId":"assigned-4ZTPV5DJ7WAFBCA5KUNOX255JW","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db9-b11e-7180-86d9-7eb3c6a40568', '', '{"type":"client.registered","timestamp":"2026-11-24T13:23:23.022Z","data":{"eventId":"01a20db9-b11e-7180-86d9-7eb3c6a40568","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-380c-7634-984e-59580afe73ad', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.501Z","data":{"eventId":"01a20db8-380c-7634-984e-59580afe73ad","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-383a-76ab-8e67-7dd2e70c76d0', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:46.535Z","data":{"eventId":"01a20db8-383a-76ab-8e67-7dd2e70c76d0","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-IV5NMQVYY23TFIJUG33LNVCMD5","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3843-7490-b03f-75f90878e0a9', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:46.562Z","data":{"eventId":"01a20db8-3843-7490-b03f-75f90878e0a9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"mrm_1TYdtf0VeeN-JKvpzbuqHmCqPwDA0HP8-GC8f3A","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-39db-7aed-99c6-ccc43c0e7300', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:46.932Z","data":{"eventId":"01a20db8-39db-7aed-99c6-ccc43c0e7300","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4","providerClientId":"assigned-DYLY33BRXKLLBLKQAO77XQNRB2","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3b76-77b9-ba35-5a7893824f39', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.363Z","data":{"eventId":"01a20db8-3b76-77b9-ba35-5a7893824f39","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3bd1-7dd9-ad48-12195111eb17', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.444Z","data":{"eventId":"01a20db8-3bd1-7dd9-ad48-12195111eb17","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU","providerClientId":"assigned-6LVMKZIT4UKIWA7HQF4NBXGWI3","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}', ''),
	('01a20db8-3c41-718e-9ec0-7773d7200832', '', '{"type":"client.failed","timestamp":"2026-11-24T13:21:47.574Z","data":{"eventId":"01a20db8-3c41-718e-9ec0-7773d7200832","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"nXM8xQwfW8mhxNTRgw4M2xCgapWnBnx6Hztw11OdbXI","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}', ''),
	('01a20db8-3c5c-75b5-aaa3-2e8ff571af6b', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.580Z","data":{"eventId":"01a20db8-3c5c-75b5-aaa3-2e8ff571af6b","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db9-b2ed-750e-86b6-c3ae89062dd3', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:23:23.343Z","data":{"eventId":"01a20db9-b2ed-750e-86b6-c3ae89062dd3","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc","providerClientId":"assigned-H4URWLKDIIYZODRRNZWRKKMKVX","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20db8-3a11-7453-82cd-ea16d612fab9', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.024Z","data":{"eventId":"01a20db8-3a11-7453-82cd-ea16d612fab9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3a21-73e2-ae6d-7435d138ef5c', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.037Z","data":{"eventId":"01a20db8-3a21-73e2-ae6d-7435d138ef5c","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8","providerClientId":"assigned-YG2T6P2W36ZLADGL6HV6A6FJG5","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3a77-7150-a858-465bf7e1e1a3', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.124Z","data":{"eventId":"01a20db8-3a77-7150-a858-465bf7e1e1a3","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:92514e136b3602bf"}}', ''),
	('01a20db8-3a9f-7457-9b63-c6433dacbffe', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.144Z","data":{"eventId":"01a20db8-3a9f-7457-9b63-c6433dacbffe","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E","providerClientId":"assigned-BUO3SESHKGDD4K7W2ZVBCZYJAA","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:92514e136b3602bf"}}', ''),
	('01a20db8-3ac0-73a5-aa76-edd81acbb12b', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.182Z","data":{"eventId":"01a20db8-3ac0-73a5-aa76-edd81acbb12b","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3ce3-71b0-ba0d-3805eafc911f', '', '{"type":"client.registered","timestamp":"2026-11-24T13:21:47.746Z","data":{"eventId":"01a20db8-3ce3-71b0-ba0d-3805eafc911f","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db8-3ced-737d-9993-80d039b4dbaf', '', '{"type":"client.activated","timestamp":"2026-11-24T13:21:47.749Z","data":{"eventId":"01a20db8-3ced-737d-9993-80d039b4dbaf","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI","providerClientId":"assigned-VMBWQCQ2HJRJYSOM5X46EM5B2J","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:23:23.146Z","data":{"eventId":"01a20db9-b1b7-7163-a40e-c4fbbfc8ae3f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc","providerClientId":"assigned-H4URWLKDIIYZODRRNZWRKKMKVX","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dba-0269-7d8e-a998-89280848c952', '', '{"type":"client.registered","timestamp":"2026-11-24T13:23:43.823Z","data":{"eventId":"01a20dba-0269-7d8e-a998-89280848c952","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"_mJh00YpL8plOe-94h_JXPHprXKg1IcbM-mcziZPqdo","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dba-04fb-7919-ac9c-7177dc85c677', '', '{"type":"client.registered","timestamp":"2026-11-24T13:23:44.418Z","data":{"eventId":"01a20dba-04fb-7919-ac9c-7177dc85c677","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"6Jjmnpyr4N9q8LDnn1tZD2_nTQ-xR1223ZuILnPAdVk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dba-0579-745d-8dae-266631a7e227', '', '{"type":"client.failed","timestamp":"2026-11-24T13:23:44.559Z","data":{"eventId":"01a20dba-0579-745d-8dae-266631a7e227","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"0SoTNy7vzHwwaMNw-XJMKjcyHKtxvAUCjOXOzfUMDXg","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', '');

INSERT INTO public.outbox VALUES
	('01a20db8-367b-75d9-8c99-f6126210a220', '01a20db8-340b-7ed3-82ba-3c976911ad39', 1795526905028, 1, 2, '', 0),
	('01a20db8-370a-7766-987e-d8310502e090', '01a20db8-340b-7ed3-82ba-3c976911ad39', 1795526915616, 1, 2, '', 0),
	('01a20db9-b2ed-759c-b8a8-e0caff1e32aa', '01a20db8-340b-7ed3-82ba-3c976911ad39', 1795526603343, 1, 2, '01a20db9-ba86-76c8-ae0c-f6a82aff1a5c', 1795526623664);

INSERT INTO public.partner VALUES
	('demo-partner', 'Demo partner', 'Auth_Partner', 'ACTIVE', ''),
	('bank', 'bank', 'Auth_Partner', 'ACTIVE', ''),
	('shop', 'shop', 'Auth_Partner', 'INACTIVE', '');

INSERT INTO public.partner_policy VALUES
	('demo-partner', 'demo-policy', 'APPROVED'),
	('bank', 'free', 'APPROVED'),
	('bank', 'reviewed', 'APPROVED'),
	('shop', 'free', 'APPROVED'),
	('shop', 'reviewed', 'APPROVED'),
	('shop', 'old', 'APPROVED'),
	('bank', 'old', 'REVOKED');

INSERT INTO public.policy VALUES
	('demo-policy', 'Name and e-mail address', 'Auth', 'ACTIVE', '["name","email"]', '["mosip:idp:acr:generated-code"]', '[]', ''),
	('free', 'free', 'Auth', 'ACTIVE', '["name"]', '["mosip:idp:acr:generated-code"]', '[]', ''),
	('reviewed', 'reviewed', 'Auth', 'ACTIVE', '["name"]', '["mosip:idp:acr:generated-code"]', '[]', 'oidc-client'),
	('old', 'old', 'Auth', 'INACTIVE', '["name"]', '["mosip:idp:acr:generated-code"]', '[]', '');

INSERT INTO public.process VALUES
	('01a20db8-3369-7a53-ae80-3b87b6f335cd', 'vm', 'dev', 1795526505331, 1795526603278),
	('01a20db9-ba86-76c8-ae0c-f6a82aff1a5c', 'vm', 'dev', 1795526605476, 1795526624417);

INSERT INTO public.provider_record VALUES
	('IxR6t8kQDutQyve6sbt35QuRBPxIPiC6Qp8_pIqMugs', 'assigned-6JR5HP4T2C7HH4KTGPNSD7JJ3F', 'http://127.0.0.1:18476/register/assigned-6JR5HP4T2C7HH4KTGPNSD7JJ3F', 'dump:flXF_ThRbVoObqbg3I0x9oSrc7ysBErszMGlHCyDce_yxS3HOIAVTofJeXfg8wS2Q_2n6VCb343EwivKNOJkxBqnAHm5'),
	('6x_uxAFt7gPdVu6RbkfQ0oKE8P-fL5rgpi-YzMffYJk', 'assigned-64QFGQPUUIIBGQNHZSSCWK3K27', 'http://127.0.0.1:18476/register/assigned-64QFGQPUUIIBGQNHZSSCWK3K27', 'dump:AMSRhIQOj-rKuNxrMPTF9rptlL3ebMNO7KWH68_uC_g18RdW_VblElIc6AFizC7kKTDANJW0_n7rPK-QPgvjx9mmA_1G'),
	('w8338ZEWG5vb3lF9UU6RoWc5vLKx3gmKVmX9IawjT1s', 'assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN', 'http://127.0.0.1:18476/register/assigned-NBWK4UBXZRXMJRYD4P6XAMLQVN', 'dump:-zknwQFFj01F8vQuhOtP2BriEibOeopFCBKxHTTj0im0-VenzSUZfJp_OYw_4KytPgWnltdeaVdll6M2qEg7l8Prkcw9'),
	('Anuf_0Uya0HlB4tuvDCRIjAniM6JFqSmTX7WycNO-co', 'assigned-FLT5Q362RFFUOB7HG3K76X6AYS', 'http://127.0.0.1:18476/register/assigned-FLT5Q362RFFUOB7HG3K76X6AYS', 'dump:nrH0qmbbRxESGURk5pQvgKRtUjz0gxrx-i9CiT15Pv_ue0Q842D9ss_N6v-lGjrF55xWGSuhnFgkAMR9HDtATnUpAFdw'),
	('of-the-provider', 'assigned-IV5NMQVYY23TFIJUG33LNVCMD5', 'http://127.0.0.1:18476/register/assigned-IV5NMQVYY23TFIJUG33LNVCMD5', 'dump:Jsbo-GPKnmfroUUHL8NIM21mconUikcst5bTyGwdCyqlItnX3jA_HbSBcJfXUUY3n0U_X_6eG8fIJR7ZvtZcDnGnjrzT'),
	('RQuoC9XhG6mD-2b8JhNeY1Q5uCsbcvJsYS5ft05Mkw4', 'assigned-DYLY33BRXKLLBLKQAO77XQNRB2', 'http://127.0.0.1:18476/register/assigned-DYLY33BRXKLLBLKQAO77XQNRB2', 'dump:0WKcaPFnbNy8GvV-iuYVhIwtSR_2gdBd-IzMG0dsLsGNWEzMxAHvygtq0Nbg_KvaGVWCQQdAqH4a2DYxqCCbKK4Z89jp'),
	('ep_qXC-e2nLYpl76kb2kEGfbWVMETjll-rzI3crzJF8', 'assigned-YG2T6P2W36ZLADGL6HV6A6FJG5', 'http://127.0.0.1:18476/register/assigned-YG2T6P2W36ZLADGL6HV6A6FJG5', 'dump:YT_dIh7d0SZR7_VCsWDXn1xjoU67AsSXv1yiFjvcQbevqjFG-b8RVw7edQfbPxNTu3UcaIikrJJViOj6u3moZysaN3g-'),
	('YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E', 'assigned-BUO3SESHKGDD4K7W2ZVBCZYJAA', 'http://127.0.0.1:18476/register/assigned-BUO3SESHKGDD4K7W2ZVBCZYJAA', 'dump:wSiq6M0k67xBhvcDfAFbMvAxLGETfXCvO42Tc6MSDSnPORk2WxU1u159YugQeBcdDCI0iDSVQObDOwwWn_Jwq8Pn9OP9'),
	('4Gv-sYrsuCApe88uTruds4m0tneXAFI2UhGYXLAROxU', 'assigned-6LVMKZIT4UKIWA7HQF4NBXGWI3', 'http://127.0.0.1:18476/register/assigned-6LVMKZIT4UKIWA7HQF4NBXGWI3', 'dump:iJdKBOeGvqnDyyUfSAw2hoMebn1BNzHl84022v6WkKPt6brTEsSOaORlS0WT_fmZLAqJ86uT5o8oEW3nQ9ATmhnxYnas'),
	('x8pFK-ubA7C-nhtZJEKVEu_bY_o8Xf2u14s8C20WjoI', 'assigned-VMBWQCQ2HJRJYSOM5X46EM5B2J', 'http://127.0.0.1:18476/register/assigned-VMBWQCQ2HJRJYSOM5X46EM5B2J', 'dump:dwQiJMtY5iV20dklVtkf-EqjIdE1oMpXq_qog3UGGsxh12u8aGIwZ-75oAy73kHbFtbx9LkRcrP-DejQxVwct8nnI5dy'),
	('Tq6i3fzGL1ULJnLxGR9fAfibL6xgf1_WpcTdsOj4YBg', 'assigned-6ZBAD4P7FXRT5MQLJNZJHUN6KK', 'http://127.0.0.1:18476/register/assigned-6ZBAD4P7FXRT5MQLJNZJHUN6KK', 'dump:PB4JaCbot_cBcGkHItNZOE6EvYYav70r4mB2eFHbrUHIC1wwPs6SF9DJfY4J_3qVlynBXoOWML3tbcbEkkTuaK-OjpBu'),
	('NcvT_rr7wJlcomNAzPgkO44LEZ7iFO5GZ7ByKfnmIII', 'assigned-4ZTPV5DJ7WAFBCA5KUNOX255JW', 'http://127.0.0.1:18476/register/assigned-4ZTPV5DJ7WAFBCA5KUNOX255JW', 'dump:NFe4eZBZO8Epwmhp03Znn4KyJjmLqFQIgnJCDzqjN6-_N2XBX_7hLMQ_u2DPK2Mv9pkC2fOBtkVmu0oWBTjYCl7njGCe'),
	('tux60zjmbe-D9lOBjvCOEkgU7iuIa2-mOw_7yHG40jc', 'assigned-H4URWLKDIIYZODRRNZWRKKMKVX', 'http://127.0.0.1:18476/register/assigned-H4URWLKDIIYZODRRNZWRKKMKVX', 'dump:YEV9bywSEf_UeBi_-5Sv8uPTjweAtAgP030XqDYCmfucJ3iY6Or2WmFkoeECka4UbenJRjGEpo_iBmzW2g6xQvIoF0kb');

INSERT INTO public.reconciliation VALUES
	('provider', '', 1795526508170, 1795526508170);

INSERT INTO public.registration_token VALUES
	('7f8b038da791394ad56a47bbfae34c832699b52a64d2c68fa4b0280258209606', 'YCxWGBOpaa5x4ev6Z8QLrepkfpJPzlI4yErdzb8_a5E');

INSERT INTO public.service_key VALUES
	('cursor', 'NiB9e0Cz3MTJq4iRMurgYLeslurSsGxxQjFIMPXh+4I=');

SELECT pg_catalog.setval('public.catalog_event_seq_seq', 15, true);

SELECT pg_catalog.setval('public.client_event_seq_seq', 52, true);

SELECT pg_catalog.setval('public.goose_db_version_id_seq', 2, true);

ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_pkey PRIMARY KEY (client_id, revision);

ALTER TABLE ONLY public.catalog_event
    ADD CONSTRAINT catalog_event_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY public.client_event
    ADD CONSTRAINT client_event_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY public.client
    ADD CONSTRAINT client_id UNIQUE (id);

ALTER TABLE ONLY public.client_key
    ADD CONSTRAINT client_key_pkey PRIMARY KEY (thumbprint);

ALTER TABLE ONLY public.delivery_attempt
    ADD CONSTRAINT delivery_attempt_n UNIQUE (delivery_id, cycle, n);

ALTER TABLE ONLY public.delivery_attempt
    ADD CONSTRAINT delivery_attempt_pkey PRIMARY KEY (delivery_id, cycle, seq);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_target UNIQUE (event_id, target);

ALTER TABLE ONLY public.difference
    ADD CONSTRAINT difference_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_name UNIQUE (name);

ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idp_call
    ADD CONSTRAINT idp_call_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.initial_token
    ADD CONSTRAINT initial_token_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (event_id, variant);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.partner
    ADD CONSTRAINT partner_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.partner_policy
    ADD CONSTRAINT partner_policy_pkey PRIMARY KEY (partner_id, policy_id);

ALTER TABLE ONLY public.policy
    ADD CONSTRAINT policy_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.process
    ADD CONSTRAINT process_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.provider_record
    ADD CONSTRAINT provider_record_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.reconciliation
    ADD CONSTRAINT reconciliation_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.registration_token
    ADD CONSTRAINT registration_token_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.write_probe
    ADD CONSTRAINT write_probe_pkey PRIMARY KEY (id);

CREATE INDEX approval_due ON public.approval USING btree (due_ms) WHERE (state = ANY (ARRAY['asking'::text, 'waiting'::text, 'withdrawing'::text]));

CREATE INDEX approval_request ON public.approval USING btree (request_id) WHERE (request_id <> ''::text);

CREATE INDEX catalog_event_of_partner ON public.catalog_event USING btree (partner_id, seq);

CREATE INDEX catalog_event_of_policy ON public.catalog_event USING btree (policy_id, seq);

CREATE INDEX client_by_creation ON public.client USING btree (created_ms, id);

CREATE INDEX client_by_partner ON public.client USING btree (partner_id, created_ms, id);

CREATE INDEX client_doubtful ON public.client USING btree (id) WHERE doubtful;

CREATE INDEX client_event_of_client ON public.client_event USING btree (client_id, seq);

CREATE INDEX client_event_purged ON public.client_event USING btree (purged_to) WHERE (kind = 'purged'::text);

CREATE INDEX client_event_refused ON public.client_event USING btree (client_id, reason, at_ms) WHERE (kind = 'refused'::text);

CREATE INDEX client_key_of_client ON public.client_key USING btree (client_id);

CREATE INDEX delivery_client ON public.delivery USING btree (client_id, created_ms, id);

CREATE INDEX delivery_created ON public.delivery USING btree (created_ms, id);

CREATE INDEX delivery_endpoint ON public.delivery USING btree (endpoint, created_ms, id);

CREATE INDEX delivery_rare_status ON public.delivery USING btree (rare_status, created_ms, id) WHERE (rare_status IS NOT NULL);

CREATE INDEX endpoint_created ON public.endpoint USING btree (created_ms, id);

CREATE INDEX idp_call_due ON public.idp_call USING btree (due_ms);

CREATE INDEX outbox_due ON public.outbox USING btree (lane, next_attempt_ms, id);

CREATE INDEX registration_token_of_client ON public.registration_token USING btree (client_id);

CREATE TRIGGER catalog_event_insert_only BEFORE DELETE OR UPDATE ON public.catalog_event FOR EACH ROW EXECUTE FUNCTION public.refuse_catalog_change();

CREATE TRIGGER catalog_event_no_truncate BEFORE TRUNCATE ON public.catalog_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_catalog_change();

CREATE TRIGGER client_event_insert_only BEFORE UPDATE ON public.client_event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER client_event_no_truncate BEFORE TRUNCATE ON public.client_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER client_event_purged BEFORE DELETE ON public.client_event FOR EACH ROW EXECUTE FUNCTION public.refuse_unpurged();

ALTER TABLE ONLY public.client_key
    ADD CONSTRAINT client_key_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.client(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.difference
    ADD CONSTRAINT difference_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.client(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idp_call
    ADD CONSTRAINT idp_call_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.client(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.partner_policy
    ADD CONSTRAINT partner_policy_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partner(id);

ALTER TABLE ONLY public.partner_policy
    ADD CONSTRAINT partner_policy_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES public.policy(id);

ALTER TABLE ONLY public.provider_record
    ADD CONSTRAINT provider_record_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.client(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.registration_token
    ADD CONSTRAINT registration_token_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.client(id) ON DELETE CASCADE;

