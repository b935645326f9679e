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
  IF OLD.type <> 'purged'
    AND OLD.seq <= (SELECT max(t.purged_last_seq) FROM client_event t WHERE t.type = 'purged')
    AND (OLD.type = 'refused' OR NOT EXISTS (SELECT FROM client c WHERE c.id = OLD.client_id)) THEN
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
    change text NOT NULL,
    policy_key text NOT NULL,
    requester text NOT NULL,
    title text NOT NULL,
    context text NOT NULL,
    request_id text NOT NULL,
    context_hash text NOT NULL,
    reason text NOT NULL,
    requested_ms bigint NOT NULL,
    due_ms bigint NOT NULL,
    attempts bigint NOT NULL,
    CONSTRAINT approval_kind_check CHECK ((kind = ANY (ARRAY['register'::text, 'update'::text]))),
    CONSTRAINT approval_state_check CHECK ((state = ANY (ARRAY['asking'::text, 'waiting'::text, 'granted'::text, 'denied'::text, 'withdrawing'::text, 'withdrawn'::text])))
);

CREATE TABLE public.catalog_event (
    seq bigint NOT NULL,
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    type text NOT NULL,
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
    api text NOT NULL,
    name text NOT NULL,
    partner_id text NOT NULL,
    policy_id text NOT NULL,
    key_thumbprint text NOT NULL,
    key_jwk text NOT NULL,
    key_id text NOT NULL,
    previous_key_thumbprint text NOT NULL,
    previous_key_jwk text NOT NULL,
    previous_key_id text NOT NULL,
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
    outcome_unknown boolean NOT NULL,
    failure_reason text NOT NULL,
    failure_provider_code text NOT NULL,
    failure_message text NOT NULL,
    created_by text NOT NULL,
    created_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    rev bigint NOT NULL,
    CONSTRAINT client_api_check CHECK ((api = ANY (ARRAY['partner'::text, 'provider'::text]))),
    CONSTRAINT client_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text, 'PENDING'::text, 'FAILED'::text])))
);

CREATE TABLE public.client_event (
    seq bigint NOT NULL,
    client_id text NOT NULL,
    type text NOT NULL,
    actor text NOT NULL,
    at_ms bigint NOT NULL,
    changed text NOT NULL,
    flags text NOT NULL,
    reason text NOT NULL,
    provider_code text NOT NULL,
    provider_client_id text DEFAULT ''::text NOT NULL,
    comment text DEFAULT ''::text NOT NULL,
    ignored text DEFAULT '[]'::text NOT NULL,
    call_id text DEFAULT ''::text NOT NULL,
    traceparent text DEFAULT ''::text NOT NULL,
    purged bigint DEFAULT 0 NOT NULL,
    purged_last_seq bigint DEFAULT 0 NOT NULL
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
    number integer,
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
    change text NOT NULL,
    actor text NOT NULL,
    attempts bigint NOT NULL,
    due_ms bigint NOT NULL,
    lease_token text NOT NULL,
    sent boolean NOT NULL,
    confirmed boolean NOT NULL,
    lease_owner text NOT NULL,
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
    concurrency_group text NOT NULL,
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
    started_ms bigint NOT NULL,
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
	('cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 1, 'granted', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dc5-6aa5-7bc7-a64e-000391b8b108', 'sha256:73171a3c05f53babf4c0df33abbd5bb0acbd64e04f2854c1154a1607f13fe141', '', 1795527371225, 1795527431817, 2),
	('p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 1, 'denied', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dc5-6c5f-754b-8528-60d1af98ede6', 'sha256:0ff4dc7c99f439eda0ba64c22545e687f91ffbca7de965d0273bfe6e1323ab53', 'The decision of fay', 1795527371795, 1795527432207, 2),
	('AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 1, 'withdrawn', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dc5-6dc9-75c1-a978-f51eadd8d599', 'sha256:95acbadd86014e1bec0fc249ae487f6a776cf68a278a1c2f9a09f44c5e4b1aba', '', 1795527372151, 1795527432581, 2),
	('cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 2, 'waiting', 'update', '{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'oidc-client', 'vera', 'Change the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"userClaims":["name"]}', '01a20dc5-70f0-7984-aa51-71ba9d82d186', 'sha256:334433816a93377a15190b3918e955a9f3c3779a4e8a1ad02727eca35e5aae9a', '', 1795527372963, 1795527673180, 1),
	('Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 1, 'withdrawing', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dc5-6ff1-7d88-bee3-853ab8fe17fb', 'sha256:84c117202704b63e9486e7a1c0f17f432cacfec20eb03fb3d54027bf1c36a21e', '', 1795527372549, 1795527466266, 1),
	('UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 1, 'asking', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '', '', '', 1795527466189, 1795527526275, 1);

INSERT INTO public.catalog_event OVERRIDING SYSTEM VALUE VALUES
	(1, 'demo-partner', '', 'created', 'system:catalog', 1795527367828, '[]', '', ''),
	(2, '', 'demo-policy', 'created', 'system:catalog', 1795527367828, '[]', '', ''),
	(3, 'demo-partner', 'demo-policy', 'approved', 'system:catalog', 1795527367828, '[]', '', ''),
	(4, '', 'free', 'created', 'ada', 1795527368354, '[]', 'R44BNUQSZDLAIHTB7VGDSY2GM3', ''),
	(5, '', 'reviewed', 'created', 'ada', 1795527368404, '[]', '6BQKS6DGSANY6TQWZEKMTGCZVM', ''),
	(6, '', 'old', 'created', 'ada', 1795527368428, '[]', 'FPRYTVDHWJMI6UFMMS7C7RQBB6', ''),
	(7, 'bank', '', 'created', 'ada', 1795527368431, '[]', 'HW2I3OFJ645OKPKM6UUI3WETM2', ''),
	(8, 'bank', 'free', 'approved', 'ada', 1795527368477, '[]', 'USQ5UINZLAJ6DPZISHO6F5FRFF', ''),
	(9, 'bank', 'reviewed', 'approved', 'ada', 1795527368516, '[]', 'QM4RCSSD23FYCSBHUOUFF6CMU7', ''),
	(10, 'bank', 'old', 'approved', 'ada', 1795527368547, '[]', '2XL5N3UZATWFTGMGISCJC46BV6', ''),
	(11, 'shop', '', 'created', 'ada', 1795527368561, '[]', 'XGW75NN4WKSK4IKIWITV4J5NPA', ''),
	(12, 'shop', 'free', 'approved', 'ada', 1795527368584, '[]', 'MGBBARNDVN3OATCUGO5LV56ZZV', ''),
	(13, 'shop', 'reviewed', 'approved', 'ada', 1795527368618, '[]', 'JTRJDSCASZHIJVLB7IE3YJCM7J', ''),
	(14, 'shop', 'old', 'approved', 'ada', 1795527368641, '[]', 'GRBYW7UW72ISP6TWXGIB3XTHR3', ''),
	(15, 'bank', 'old', 'revoked', 'ada', 1795527368658, '[]', 'DWLZ7DBJWHCUHRQ274C2E4QH5Z', '');

INSERT INTO public.client VALUES
	('HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 'partner', 'ok', 'bank', 'free', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', '{"crv":"P-256","kid":"HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98","kty":"EC","x":"T9oOImr_GmRK-qYRBFM2PL6MrFgGoTu9mBgB43zMjl8","y":"pobU73g0hVgmYzQfB87k6J2EvHicFJBzylsL5vyxDUU"}', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-ZWGYDRUNZ6H3SNLGU6IDGNB5IS', false, '', '', '', 'vera', 1795527368690, 1795527368802, 2),
	('hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'partner', 'ok', 'bank', 'free', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', '{"crv":"P-256","kid":"hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U","kty":"EC","x":"qILqlch_WQX_J878K-hzfuGdMujmcuuqpumcCATr5Kw","y":"2eW6UqtK2gElm83PD0shizYHMImgtnhw7VTrDtGt5lE"}', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-2Y7YEYKKFYZOY25O72GSHPN4RR', false, '', '', '', 'vera', 1795527368919, 1795527369328, 3),
	('of-the-provider', 'provider', 'ok', 'bank', '', 'RBxOI39G4JLqUoScm-QUBAG5CLLM0SDDvtR8uqf4F8U', '{"crv":"P-256","kid":"RBxOI39G4JLqUoScm-QUBAG5CLLM0SDDvtR8uqf4F8U","kty":"EC","x":"coKAYawccyIiKRTG3heQ286dYn8cT4tW5gvPu16RS24","y":"pbfcTSPQAlrv0DVlcQEPgGa837HtxBfQEzfW3Dw-K48"}', 'RBxOI39G4JLqUoScm-QUBAG5CLLM0SDDvtR8uqf4F8U', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-QHEIO36TGY2TQEKRZPLCMXPZLZ', false, '', '', '', 'vera', 1795527370086, 1795527370123, 2),
	('F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'partner', 'ok', 'bank', 'free', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', '{"crv":"P-256","kid":"F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng","kty":"EC","x":"iC-86QevR3AxKFvbU0FnS9js7NpVfs_5LTTcRzVd81w","y":"BI5Y02u0mhYWySvSCypoBj8-R6k01xhJwwlOow7axl8"}', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW', false, '', '', '', 'vera', 1795527369387, 1795527369510, 3),
	('OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 'partner', 'down', 'bank', 'free', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', '{"crv":"P-256","kid":"OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc","kty":"EC","x":"0JyOoCXupJyxL3mWdL8-F2IoOPTEU_7E3DHr2nvhrFU","y":"jjvdWyUuVj-Gn_w6akQhL__0pzQ3hWkzxD4R9Jx0i6U"}', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795527370198, 1795527370198, 1),
	('c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'partner', 'ok', 'bank', 'free', '5HqOEBL9UFwFuqzaecS-5IRWKNLbzGjDkw--w0kKd5I', '{"crv":"P-256","kid":"5HqOEBL9UFwFuqzaecS-5IRWKNLbzGjDkw--w0kKd5I","kty":"EC","x":"nEcE_4eg0X_9qgixLY-xlz93VCOuqxR1lrndvjZ2SWU","y":"BO3YEXVnRz9Slt8_xvk4EJKKvJe3YJJQgLIa0uHH2Ws"}', '5HqOEBL9UFwFuqzaecS-5IRWKNLbzGjDkw--w0kKd5I', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', '{"crv":"P-256","kid":"c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI","kty":"EC","x":"cPMAnS86MBaWwaUdn4Pj5Sn8XWcrqt3dphU26_xNEvI","y":"K13Ffx_lxKP5sElANyJZsZEnKMmMq7-9wRqcpUVTcvM"}', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA', false, '', '', '', 'vera', 1795527369675, 1795527369876, 3),
	('yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'partner', 'ok', 'bank', 'free', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', '{"crv":"P-256","kid":"yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg","kty":"EC","x":"Wk34Mry5_D1gYu-52t0rDgSsfrqhwSnz_AJiA-Jwvd8","y":"WhupGSFV8naSTnBZxdpn73dYH27L-9d6WsWrBV9UmbE"}', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-JJPPCHHA6LTUJNANSAA75FEDJW', false, '', '', '', 'vera', 1795527370586, 1795527370630, 2),
	('a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'partner', 'ok', 'bank', 'free', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', '{"crv":"P-256","kid":"a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI","kty":"EC","x":"Y_w6AcVz3ov5AekERh4bvQpG5WD8-Zj1OCbRsS6LzLs","y":"ZJ9b2lF-WcixY38sszjV7t8p-QMDqtne7TYnT6Q4Gbw"}', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-EQ7XHRY4W6QYGXHGQUPIZXR327', true, '', '', '', 'vera', 1795527370807, 1795527370999, 3),
	('DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 'partner', 'ok', 'bank', 'free', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', '{"crv":"P-256","kid":"DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c","kty":"EC","x":"v6brDtVAuvyEr6FrKwqRT2frsXb1U-b5QFWMRoWxQ60","y":"3GIbjABGf5XqQ32h0m66r6JS2tqJIbZiGOLpMJA88y8"}', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-6OKSK6NAPYNQZI2RMPSPO4FOD7', false, '', '', '', 'initial access token:dfe3cd9e0109514a', 1795527371131, 1795527371164, 2),
	('cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'partner', 'ok', 'bank', 'reviewed', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', '{"crv":"P-256","kid":"cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4","kty":"EC","x":"smrgBs82tR-K4V4NqRma7mQZRQb6nOldFUZrDmUusqE","y":"Uuahk9KCzWT6RwhJ3J8SJv16Dl2dFF2ucGXo3k1H7vk"}', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-E5EXXDUFAFMTPNIRGNFWITJAOY', false, '', '', '', 'vera', 1795527371225, 1795527371967, 2),
	('p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'partner', 'ok', 'bank', 'reviewed', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', '{"crv":"P-256","kid":"p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo","kty":"EC","x":"t2q6CRmqiwhl6BnDnfBP30YGv9Ff7k7r1eMJ2qdOiQk","y":"ZDrf7OxEIoTb_eAIetghBRv4BWG_zkcxvDbB3QSDqKo"}', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'FAILED', false, '', false, 'not_approved', '', 'not approved: The decision of fay', 'vera', 1795527371795, 1795527372262, 2),
	('BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'partner', 'ok', 'bank', 'free', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', '{"crv":"P-256","kid":"BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw","kty":"EC","x":"vvZbgb2RFRW0iBm7X7-fsUHHwmPniwYQCWrRzFzFS7I","y":"1eccBPNAscNHPOfbysGySXMQ3_UfOFTN37jmLwr6330"}', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-5WPBDIJI3J7DWCKLK7IZSIRV6K', false, '', '', '', 'vera', 1795527373029, 1795527373048, 2),
	('4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'partner', 'ok', 'bank', 'free', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', '{"crv":"P-256","kid":"4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4","kty":"EC","x":"llNz2wYcsMpubVkT7k7gMn8CIgF1ukSZBe1Y0yUPyBk","y":"13V7nAJc0pPTUxx8HAfUFW0uY0wGfI-u1BT9zUp_OnU"}', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-IXO4W6VOPQH4SIDJ3KBC4RAAU3', false, '', '', '', 'vera', 1795527373126, 1795527373183, 2),
	('UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'partner', 'ok', 'bank', 'free', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', '{"crv":"P-256","kid":"UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A","kty":"EC","x":"e5TGPqhSvFx3f5yCYmM5sH7LE-MuJqufF5GSiykrq0Q","y":"Wp6we9k9r7KwcIAGCqwfmbd0kZ3r6kCILeOF98jM11I"}', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-SY7WDQW55AJ6NUX4F2MLXML7FA', false, '', '', '', 'vera', 1795527373254, 1795527373296, 2),
	('4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 'partner', 'ok', 'bank', 'free', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', '{"crv":"P-256","kid":"4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q","kty":"EC","x":"oWC12_SI39qwKGum5Hwj2k3NzKk7nj1AXPfunD0YucU","y":"nD4KMPTicJ6PywPJhIn2ZGDMQjS7tJpHGLrTLiVOu0g"}', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-ZLWLQECKCELEUJRMI3XA725QZY', false, '', '', '', 'vera', 1795527445288, 1795527445386, 3),
	('7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 'partner', 'down', 'bank', 'free', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', '{"crv":"P-256","kid":"7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo","kty":"EC","x":"o7HTXt4ccclaty-RS1Y_h3QERyYrAVjSpdESb85vsjc","y":"-8qsIu9VaBRNgCBlU1pOMPin8AsgkG1vgHnlKD-4eUc"}', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795527465743, 1795527465743, 1),
	('UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 'partner', 'ok', 'bank', 'reviewed', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', '{"crv":"P-256","kid":"UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4","kty":"EC","x":"fHYgA2b78N8t8ekkPG0Mnnas05ma1iEToAtzGILmCkM","y":"2bxzkQlIXUwzX9qyIe-c939PJQwSKzkJNjqG4epvHws"}', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795527466189, 1795527466189, 1);

INSERT INTO public.client_event OVERRIDING SYSTEM VALUE VALUES
	(1, 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 'registered', 'vera', 1795527368690, '[]', '[]', '', '', '', '', '[]', 'OL53UKG3M6DFXOTH5GTV3IDV5Y', '', 0, 0),
	(2, 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 'activated', 'vera', 1795527368802, '[]', '[]', '', '', 'assigned-ZWGYDRUNZ6H3SNLGU6IDGNB5IS', '', '[]', 'OL53UKG3M6DFXOTH5GTV3IDV5Y', '', 0, 0),
	(3, 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'registered', 'vera', 1795527368919, '[]', '[]', '', '', '', '', '[]', 'XTUX63DIDW2L7EY2OISZK7DT7U', '', 0, 0),
	(4, 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'activated', 'vera', 1795527369031, '[]', '[]', '', '', 'assigned-2Y7YEYKKFYZOY25O72GSHPN4RR', '', '[]', 'XTUX63DIDW2L7EY2OISZK7DT7U', '', 0, 0),
	(5, 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'updated', 'vera', 1795527369328, '["status"]', '[]', '', '', '', '', '[]', 'TGOTM3SUTP453DH52GTESOGXK3', '', 0, 0),
	(6, 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'registered', 'vera', 1795527369387, '[]', '[]', '', '', '', '', '[]', '6IAPH7CJQRA3NY7AM4TDNSONMN', '', 0, 0),
	(7, 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'activated', 'vera', 1795527369402, '[]', '[]', '', '', 'assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW', '', '[]', '6IAPH7CJQRA3NY7AM4TDNSONMN', '', 0, 0),
	(8, 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'updated', 'ada', 1795527369510, '["status"]', '[]', '', '', '', 'A leaked key', '[]', 'VCJONX4C2QPNFAL76QJSCKZVTG', '', 0, 0),
	(9, 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'registered', 'vera', 1795527369675, '[]', '[]', '', '', '', '', '[]', 'TQTBBW7OHO5MXKEVXWNZV55VY7', '', 0, 0),
	(10, 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'activated', 'vera', 1795527369713, '[]', '[]', '', '', 'assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA', '', '[]', 'TQTBBW7OHO5MXKEVXWNZV55VY7', '', 0, 0),
	(11, 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'updated', 'vera', 1795527369876, '["publicKey"]', '[]', '', '', '', '', '[]', 'ATV74QDA7SORR35G7SQAGMZLTY', '', 0, 0),
	(12, 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 'registered', 'vera', 1795527369953, '[]', '[]', '', '', '', '', '[]', 'ZHMDEA6WFVAQUVO7AY67VNJYDG', '', 0, 0),
	(13, 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 'refused', 'vera', 1795527370014, '[]', '[]', 'provider_refused', '', '', '', '[]', 'ZHMDEA6WFVAQUVO7AY67VNJYDG', '', 0, 0),
	(14, 'of-the-provider', 'registered', 'vera', 1795527370086, '[]', '[]', '', '', '', '', '[]', 'U7ZCOLDLQGG2QWTZ6G5JHUXKEM', '', 0, 0),
	(15, 'of-the-provider', 'activated', 'vera', 1795527370123, '[]', '[]', '', '', 'assigned-QHEIO36TGY2TQEKRZPLCMXPZLZ', '', '[]', 'U7ZCOLDLQGG2QWTZ6G5JHUXKEM', '', 0, 0),
	(16, 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 'registered', 'vera', 1795527370198, '[]', '[]', '', '', '', '', '[]', '3SLLY7NQAC3R4DQFQHC5IQZSLK', '', 0, 0),
	(17, 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'registered', 'vera', 1795527370586, '[]', '[]', '', '', '', '', '[]', 'LXIVG5PF7AQUEWI7YB7H2J7HY4', '', 0, 0),
	(18, 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'activated', 'vera', 1795527370630, '[]', '[]', '', '', 'assigned-JJPPCHHA6LTUJNANSAA75FEDJW', '', '[]', 'LXIVG5PF7AQUEWI7YB7H2J7HY4', '', 0, 0),
	(19, 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'registered', 'vera', 1795527370807, '[]', '[]', '', '', '', '', '[]', '6QDY3NLMOLFOIC3AY7QLXPYQFE', '', 0, 0),
	(20, 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'activated', 'vera', 1795527370833, '[]', '[]', '', '', 'assigned-EQ7XHRY4W6QYGXHGQUPIZXR327', '', '[]', '6QDY3NLMOLFOIC3AY7QLXPYQFE', '', 0, 0),
	(21, 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'doubtful', 'vera', 1795527370999, '[]', '[]', 'provider_doubtful', '', '', '', '[]', 'AO2KG6F35JQ4MRPW4OAC36CVUN', '', 0, 0),
	(22, 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 'registered', 'initial access token:dfe3cd9e0109514a', 1795527371131, '[]', '[]', '', '', '', '', '[]', 'P5GRHK2BOMIKUEWLJW2PYJPCGD', '', 0, 0),
	(23, 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 'activated', 'initial access token:dfe3cd9e0109514a', 1795527371164, '[]', '[]', '', '', 'assigned-6OKSK6NAPYNQZI2RMPSPO4FOD7', '', '[]', 'P5GRHK2BOMIKUEWLJW2PYJPCGD', '', 0, 0),
	(24, 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'registered', 'vera', 1795527371225, '[]', '[]', '', '', '', '', '[]', 'RRRQGIFRO67DJWGY7OFFEKDOAG', '', 0, 0),
	(25, 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'held', 'vera', 1795527371225, '[]', '[]', '', '', '', '', '[]', 'RRRQGIFRO67DJWGY7OFFEKDOAG', '', 0, 0),
	(26, 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'registered', 'vera', 1795527371795, '[]', '[]', '', '', '', '', '[]', '3TZWZZI6BQURENBK5MH5L3LRJQ', '', 0, 0),
	(27, 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'held', 'vera', 1795527371795, '[]', '[]', '', '', '', '', '[]', '3TZWZZI6BQURENBK5MH5L3LRJQ', '', 0, 0),
	(28, 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'approved', 'oidc-registrar', 1795527371870, '[]', '[]', '', '', '', '', '[]', 'ASD453KEA3MI64IQ3CWZGWZGNG', '', 0, 0),
	(29, 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'activated', 'oidc-registrar', 1795527371967, '[]', '[]', '', '', 'assigned-E5EXXDUFAFMTPNIRGNFWITJAOY', '', '[]', 'ASD453KEA3MI64IQ3CWZGWZGNG', '', 0, 0),
	(30, 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 'registered', 'vera', 1795527372151, '[]', '[]', '', '', '', '', '[]', 'ZRIOJEYLEMCJ4QAQHUICCRPCH3', '', 0, 0),
	(31, 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 'held', 'vera', 1795527372151, '[]', '[]', '', '', '', '', '[]', 'ZRIOJEYLEMCJ4QAQHUICCRPCH3', '', 0, 0),
	(32, 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'failed', 'oidc-registrar', 1795527372262, '[]', '[]', 'not_approved', '', '', 'The decision of fay', '[]', 'ZBOERX36IVJJR74TBN7LYFTZH5', '', 0, 0),
	(33, 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 'removed', 'vera', 1795527372395, '[]', '[]', '', '', '', '', '[]', 'T5QUV5ZW4WY267NZ2UFZRFRZ47', '', 0, 0),
	(34, 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 'registered', 'vera', 1795527372549, '[]', '[]', '', '', '', '', '[]', '44VXWNHMDUAOZEJ4DPF6JKQV74', '', 0, 0),
	(35, 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 'held', 'vera', 1795527372549, '[]', '[]', '', '', '', '', '[]', '44VXWNHMDUAOZEJ4DPF6JKQV74', '', 0, 0),
	(36, 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'held', 'vera', 1795527372963, '["redirectUris"]', '[]', '', '', '', '', '[]', 'HFNGWYQYKMLLRJ7GYS2XC3VLES', '', 0, 0),
	(37, 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'registered', 'vera', 1795527373029, '[]', '[]', '', '', '', '', '[]', 'OMFDUBRYFMLNN47WBQNTU44VJ2', '', 0, 0),
	(38, 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'activated', 'vera', 1795527373048, '[]', '[]', '', '', 'assigned-5WPBDIJI3J7DWCKLK7IZSIRV6K', '', '[]', 'OMFDUBRYFMLNN47WBQNTU44VJ2', '', 0, 0),
	(39, '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'registered', 'vera', 1795527373126, '[]', '[]', '', '', '', '', '[]', 'CK4DSUKRQBYAN2EG6JPODX7FHO', '', 0, 0),
	(40, '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'activated', 'vera', 1795527373183, '[]', '[]', '', '', 'assigned-IXO4W6VOPQH4SIDJ3KBC4RAAU3', '', '[]', 'CK4DSUKRQBYAN2EG6JPODX7FHO', '', 0, 0),
	(41, 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'registered', 'vera', 1795527373254, '[]', '[]', '', '', '', '', '[]', 'VEVJYAMVR76KYJSQFWTOYXQ5S7', '', 0, 0),
	(42, 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'activated', 'vera', 1795527373296, '[]', '[]', '', '', 'assigned-SY7WDQW55AJ6NUX4F2MLXML7FA', '', '[]', 'VEVJYAMVR76KYJSQFWTOYXQ5S7', '', 0, 0),
	(43, 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'missing', 'system:import', 1795527373908, '[]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(44, '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'missing', 'system:import', 1795527373981, '[]', '[]', 'provider_doubtful', '', '', '', '[]', '', '', 0, 0),
	(45, 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'differs', 'system:import', 1795527373993, '["clientName"]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(46, '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 'registered', 'vera', 1795527445288, '[]', '[]', '', '', '', '', '[]', '5J2VMSL33ME4UQYUYIFOXI5M3U', '', 0, 0),
	(47, '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 'activated', 'vera', 1795527445294, '[]', '[]', '', '', 'assigned-ZLWLQECKCELEUJRMI3XA725QZY', '', '[]', '5J2VMSL33ME4UQYUYIFOXI5M3U', '', 0, 0),
	(48, '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 'updated', 'vera', 1795527445386, '["status"]', '[]', '', '', '', '', '[]', 'MH7O6K6E7KCSPMFPAT2TNSTT6M', '', 0, 0),
	(49, '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 'registered', 'vera', 1795527465743, '[]', '[]', '', '', '', '', '[]', '2XZ7YZZPK6PUJE3DOVC424QLCT', '', 0, 0),
	(50, 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 'registered', 'vera', 1795527466189, '[]', '[]', '', '', '', '', '[]', 'JIILKZZXGL7CILWXMHLKU644HF', '', 0, 0),
	(51, 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 'held', 'vera', 1795527466189, '[]', '[]', '', '', '', '', '[]', 'JIILKZZXGL7CILWXMHLKU644HF', '', 0, 0),
	(52, 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 'removed', 'vera', 1795527466266, '[]', '[]', '', '', '', '', '[]', '4LL6BOOQXGKMM2WHBGEQCXMMNA', '', 0, 0);

INSERT INTO public.client_key VALUES
	('HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98'),
	('hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U'),
	('F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng'),
	('c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI'),
	('5HqOEBL9UFwFuqzaecS-5IRWKNLbzGjDkw--w0kKd5I', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI'),
	('RBxOI39G4JLqUoScm-QUBAG5CLLM0SDDvtR8uqf4F8U', 'of-the-provider'),
	('OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc'),
	('yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg'),
	('a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI'),
	('DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c'),
	('cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4'),
	('p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo'),
	('BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw'),
	('4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4'),
	('UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A'),
	('4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q'),
	('7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo'),
	('UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4');

INSERT INTO public.delivery VALUES
	('01a20dc5-600f-7902-b406-d272653b339e', '01a20dc5-600f-788e-86a3-02fd598dfddc', '', 'client.registered', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527368921, 204, '', 11, '', 1795527368932, 1795527368690, 1795527368932),
	('01a20dc5-600f-7905-82ab-76a440e7c52b', '01a20dc5-600f-788e-86a3-02fd598dfddc', '', 'client.registered', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527368921, 204, '', 11, '', 1795527368932, 1795527368690, 1795527368932),
	('01a20dc5-600f-7906-8743-c6c0f98c817a', '01a20dc5-600f-788e-86a3-02fd598dfddc', '', 'client.registered', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527368920, 204, '', 12, '', 1795527368932, 1795527368690, 1795527368932),
	('01a20dc5-60b3-787e-aab4-83b9f2edc097', '01a20dc5-60b3-77d3-ac31-eb056936039d', '', 'client.activated', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527368997, 204, '', 13, '', 1795527369010, 1795527368802, 1795527369010),
	('01a20dc5-60b3-787a-a9ae-a76a40dac2e9', '01a20dc5-60b3-77d3-ac31-eb056936039d', '', 'client.activated', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 2, '01a20dc5-5e15-768f-a96b-58ca85dfc40d', 'gone', 'http://127.0.0.1:18476/gone', '01a20dc5-5e15-768f-a96b-58ca85dfc40d', 'failed', DEFAULT, 1, 1, 0, 1795527368997, 410, 'status 410', 15, '', 0, 1795527368802, 1795527369012),
	('01a20dc5-60b3-787b-acbe-0bcbf8282b77', '01a20dc5-60b3-77d3-ac31-eb056936039d', '', 'client.activated', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527368996, 204, '', 16, '', 1795527369012, 1795527368802, 1795527369012),
	('01a20dc5-60b3-787d-8dd2-32c40db3910b', '01a20dc5-60b3-77d3-ac31-eb056936039d', '', 'client.activated', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527368997, 204, '', 15, '', 1795527369012, 1795527368802, 1795527369012),
	('01a20dc5-60dc-7de0-b6f4-85c801a5eb69', '01a20dc5-60dc-7d80-8f89-d11ac5a471df', '', 'client.registered', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369064, 204, '', 3, '', 1795527369067, 1795527368919, 1795527369067),
	('01a20dc5-60dc-7de3-ad5d-dd1d0726385c', '01a20dc5-60dc-7d80-8f89-d11ac5a471df', '', 'client.registered', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369064, 204, '', 3, '', 1795527369067, 1795527368919, 1795527369067),
	('01a20dc5-60dc-7de4-b5ce-1840fe0ddcf3', '01a20dc5-60dc-7d80-8f89-d11ac5a471df', '', 'client.registered', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369064, 204, '', 3, '', 1795527369067, 1795527368919, 1795527369067),
	('01a20dc5-61ad-7659-a9b2-0fd236bc76bf', '01a20dc5-61ad-75e2-b9ab-271fb53129c5', '', 'client.activated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369251, 204, '', 1, '', 1795527369252, 1795527369031, 1795527369252),
	('01a20dc5-61ad-765b-a883-8582373e38c5', '01a20dc5-61ad-75e2-b9ab-271fb53129c5', '', 'client.activated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369251, 204, '', 1, '', 1795527369252, 1795527369031, 1795527369252),
	('01a20dc5-61ad-765c-91e3-7eafa0e08388', '01a20dc5-61ad-75e2-b9ab-271fb53129c5', '', 'client.activated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369251, 204, '', 1, '', 1795527369252, 1795527369031, 1795527369252),
	('01a20dc5-6da0-7325-b99f-8209b6492fb5', '01a20dc5-6da0-7277-8168-8d493fde6191', '', 'client.registered', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 0, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527372318, 204, '', 18, '', 1795527372336, 1795527372151, 1795527372336),
	('01a20dc5-6da0-7326-ad70-502ae0d0fbd2', '01a20dc5-6da0-7277-8168-8d493fde6191', '', 'client.registered', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 0, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527372318, 204, '', 18, '', 1795527372336, 1795527372151, 1795527372336),
	('01a20dc5-6da0-7327-843d-fde94b86ed44', '01a20dc5-6da0-7277-8168-8d493fde6191', '', 'client.registered', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 0, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527372318, 204, '', 18, '', 1795527372336, 1795527372151, 1795527372336),
	('01a20dc5-7215-71ce-af3c-78f93e791fa9', '01a20dc5-7215-70f7-8cbc-1938d398c0a7', '', 'client.activated', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373402, 204, '', 1, '', 1795527373403, 1795527373296, 1795527373403),
	('01a20dc5-600f-7900-8bd1-437e382fefa8', '01a20dc5-600f-788e-86a3-02fd598dfddc', '', 'client.registered', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527368921, 503, 'status 503', 11, '', 0, 1795527368690, 1795527465671),
	('01a20dc5-60b3-7877-9dc5-e54ea42f5847', '01a20dc5-60b3-77d3-ac31-eb056936039d', '', 'client.activated', 'HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527368997, 503, 'status 503', 15, '', 0, 1795527368802, 1795527465671),
	('01a20dc5-628b-7e2d-8bf4-dd90f235520f', '01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', 'client.deactivated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 3, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369517, 204, '', 22, '', 1795527369539, 1795527369328, 1795527369539),
	('01a20dc5-628b-7e2e-bbdd-4dc8036f5dab', '01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', 'client.deactivated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 3, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369517, 204, '', 22, '', 1795527369539, 1795527369328, 1795527369539),
	('01a20dc5-628b-7e2f-b189-8ba69c14f901', '01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', 'client.deactivated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 3, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369518, 204, '', 21, '', 1795527369539, 1795527369328, 1795527369539),
	('01a20dc5-6304-756b-bc9b-d64515b19f00', '01a20dc5-6304-74bd-893b-5f1d38e191f3', '', 'client.activated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369555, 204, '', 10, '', 1795527369565, 1795527369402, 1795527369565),
	('01a20dc5-6304-7575-a523-e6cc3043b048', '01a20dc5-6304-74bd-893b-5f1d38e191f3', '', 'client.activated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369555, 204, '', 10, '', 1795527369565, 1795527369402, 1795527369565),
	('01a20dc5-6304-7581-9068-32595a6073a5', '01a20dc5-6304-74bd-893b-5f1d38e191f3', '', 'client.activated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369555, 204, '', 10, '', 1795527369565, 1795527369402, 1795527369565),
	('01a20dc5-6378-7f02-bedf-d9680d5ff658', '01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', 'client.deactivated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 3, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369620, 204, '', 0, '', 1795527369620, 1795527369510, 1795527369620),
	('01a20dc5-6378-7f03-a4fc-23d6e1c960f2', '01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', 'client.deactivated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 3, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369620, 204, '', 0, '', 1795527369620, 1795527369510, 1795527369620),
	('01a20dc5-6378-7f06-8bb2-c5d3522d1d3e', '01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', 'client.deactivated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 3, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369619, 204, '', 1, '', 1795527369620, 1795527369510, 1795527369620),
	('01a20dc5-63d0-7d3d-b3ea-3c8859d0e5e5', '01a20dc5-63d0-7cd3-acb9-6fa795a30533', '', 'client.registered', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369737, 204, '', 8, '', 1795527369745, 1795527369675, 1795527369745),
	('01a20dc5-63d0-7d40-b1c3-c90c5be5d36c', '01a20dc5-63d0-7cd3-acb9-6fa795a30533', '', 'client.registered', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369737, 204, '', 8, '', 1795527369745, 1795527369675, 1795527369745),
	('01a20dc5-6304-7568-a8c5-072ff47df005', '01a20dc5-6304-74bd-893b-5f1d38e191f3', '', 'client.activated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527369554, 503, 'status 503', 11, '', 0, 1795527369402, 1795527465671),
	('01a20dc5-6378-7efe-987f-ab352099ad85', '01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', 'client.deactivated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 3, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527399725, 503, 'status 503', 1, '', 0, 1795527369510, 1795527465671),
	('01a20dc5-6378-7f00-b731-f060ca9029b6', '01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', 'client.deactivated', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 3, '01a20dc5-5e48-77af-bbe6-fe745845f740', 'slow', 'http://127.0.0.1:18476/slow', '01a20dc5-5e48-77af-bbe6-fe745845f740', 'sending', DEFAULT, 1, 1, 1, 1795527369620, 0, 'timeout', 10002, '', 0, 1795527369510, 1795527379622),
	('01a20dc5-628b-7e2c-af6c-6ca476f15e88', '01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', 'client.deactivated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 3, '01a20dc5-5e48-77af-bbe6-fe745845f740', 'slow', 'http://127.0.0.1:18476/slow', '01a20dc5-5e48-77af-bbe6-fe745845f740', 'sending', DEFAULT, 1, 1, 1, 1795527369517, 0, 'timeout', 10002, '', 0, 1795527369328, 1795527379519),
	('01a20dc5-63d0-7d3b-8029-c00f654ac059', '01a20dc5-63d0-7cd3-acb9-6fa795a30533', '', 'client.registered', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527459858, 503, 'status 503', 2, '', 0, 1795527369675, 1795527465671),
	('01a20dc5-62ab-7c4a-b085-3ac70363809b', '01a20dc5-62ab-7be7-92b8-f1ae64fdf039', '', 'client.registered', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369518, 204, '', 21, '', 1795527369539, 1795527369387, 1795527369539),
	('01a20dc5-62ab-7c4b-b2f4-b9445ae2e801', '01a20dc5-62ab-7be7-92b8-f1ae64fdf039', '', 'client.registered', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369518, 204, '', 43, '', 1795527369561, 1795527369387, 1795527369561),
	('01a20dc5-62ab-7c4d-937e-82fb06dfb393', '01a20dc5-62ab-7be7-92b8-f1ae64fdf039', '', 'client.registered', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369518, 204, '', 43, '', 1795527369561, 1795527369387, 1795527369561),
	('01a20dc5-64e1-758b-9d54-52411815f460', '01a20dc5-64e1-751e-8906-d62efcc0325e', '', 'client.registered', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370005, 204, '', 15, '', 1795527370020, 1795527369953, 1795527370020),
	('01a20dc5-64d0-7a62-9b05-eb17cc885888', '01a20dc5-64d0-79c6-b55f-626ede078478', '', 'client.updated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 3, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370004, 204, '', 16, '', 1795527370020, 1795527369876, 1795527370020),
	('01a20dc5-64d0-7a64-a1f7-cc4e20973e84', '01a20dc5-64d0-79c6-b55f-626ede078478', '', 'client.updated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 3, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370004, 204, '', 16, '', 1795527370020, 1795527369876, 1795527370020),
	('01a20dc5-64d0-7a65-8d56-d093470c6ef4', '01a20dc5-64d0-79c6-b55f-626ede078478', '', 'client.updated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 3, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370012, 204, '', 29, '', 1795527370041, 1795527369876, 1795527370041),
	('01a20dc5-64e1-758c-8dca-6c17766ab9e5', '01a20dc5-64e1-751e-8906-d62efcc0325e', '', 'client.registered', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370005, 204, '', 15, '', 1795527370020, 1795527369953, 1795527370020),
	('01a20dc5-64e1-758d-a161-cb1a8a0159cc', '01a20dc5-64e1-751e-8906-d62efcc0325e', '', 'client.registered', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370004, 204, '', 16, '', 1795527370020, 1795527369953, 1795527370020),
	('01a20dc5-6540-7927-bb5d-d1880974770f', '01a20dc5-6540-7821-9b85-72ad17926a93', '', 'client.failed', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370134, 204, '', 11, '', 1795527370145, 1795527370014, 1795527370145),
	('01a20dc5-6540-7929-bc05-9395177a137c', '01a20dc5-6540-7821-9b85-72ad17926a93', '', 'client.failed', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370134, 204, '', 18, '', 1795527370152, 1795527370014, 1795527370152),
	('01a20dc5-6540-792a-a1a6-1452317e04f1', '01a20dc5-6540-7821-9b85-72ad17926a93', '', 'client.failed', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370133, 204, '', 19, '', 1795527370152, 1795527370014, 1795527370152),
	('01a20dc5-6568-7de3-95f4-a711bfb13557', '01a20dc5-6568-7d83-852e-048a49592895', '', 'client.registered', 'of-the-provider', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370157, 204, '', 1, '', 1795527370158, 1795527370086, 1795527370158),
	('01a20dc5-6568-7de5-9b82-d98ec03c79c4', '01a20dc5-6568-7d83-852e-048a49592895', '', 'client.registered', 'of-the-provider', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370157, 204, '', 1, '', 1795527370158, 1795527370086, 1795527370158),
	('01a20dc5-6568-7de6-8ac2-cfd433a04a51', '01a20dc5-6568-7d83-852e-048a49592895', '', 'client.registered', 'of-the-provider', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370156, 204, '', 2, '', 1795527370158, 1795527370086, 1795527370158),
	('01a20dc5-67bc-7d68-965d-05041d7aeb2e', '01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5', '', 'client.activated', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370747, 204, '', 1, '', 1795527370748, 1795527370630, 1795527370748),
	('01a20dc5-67bc-7d66-8c89-4b132d9f89cd', '01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5', '', 'client.activated', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370748, 204, '', 0, '', 1795527370748, 1795527370630, 1795527370748),
	('01a20dc5-62ab-7c48-99c7-dd365c2e0256', '01a20dc5-62ab-7be7-92b8-f1ae64fdf039', '', 'client.registered', 'F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527369517, 503, 'status 503', 22, '', 0, 1795527369387, 1795527465671),
	('01a20dc5-64d0-7a60-b15f-ade5960b3432', '01a20dc5-64d0-79c6-b55f-626ede078478', '', 'client.updated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 3, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527369876, 1795527465671),
	('01a20dc5-64e1-7589-b3a8-37b1525462ca', '01a20dc5-64e1-751e-8906-d62efcc0325e', '', 'client.registered', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527369953, 1795527465671),
	('01a20dc5-63d0-7d41-9c2e-b8379d1ad9c2', '01a20dc5-63d0-7cd3-acb9-6fa795a30533', '', 'client.registered', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369737, 204, '', 8, '', 1795527369745, 1795527369675, 1795527369745),
	('01a20dc5-6415-7a8e-82d6-ad3aa094234d', '01a20dc5-6415-7a11-b4d9-375b33d3df1f', '', 'client.activated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527369871, 204, '', 2, '', 1795527369873, 1795527369713, 1795527369873),
	('01a20dc5-6415-7a8a-b0cf-2a82e2e9173b', '01a20dc5-6415-7a11-b4d9-375b33d3df1f', '', 'client.activated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527369872, 204, '', 1, '', 1795527369873, 1795527369713, 1795527369873),
	('01a20dc5-6415-7a8b-9595-3d67ded09533', '01a20dc5-6415-7a11-b4d9-375b33d3df1f', '', 'client.activated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527369872, 204, '', 1, '', 1795527369873, 1795527369713, 1795527369873),
	('01a20dc5-65d6-7cc3-910d-5759545d0b0b', '01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b', '', 'client.registered', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 1, '', 1795527370271, 1795527370198, 1795527370271),
	('01a20dc5-65c5-73ed-bdcc-d172253ca2e9', '01a20dc5-65c5-736f-ac1f-9d118a0f3ea4', '', 'client.activated', 'of-the-provider', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 2, '', 1795527370272, 1795527370123, 1795527370272),
	('01a20dc5-65c5-73ef-88aa-a496c779f292', '01a20dc5-65c5-736f-ac1f-9d118a0f3ea4', '', 'client.activated', 'of-the-provider', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 2, '', 1795527370272, 1795527370123, 1795527370272),
	('01a20dc5-65c5-73f0-b63e-db261aef3f8b', '01a20dc5-65c5-736f-ac1f-9d118a0f3ea4', '', 'client.activated', 'of-the-provider', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 2, '', 1795527370272, 1795527370123, 1795527370272),
	('01a20dc5-65d6-7cc5-a7a6-a008e0d8386c', '01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b', '', 'client.registered', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 2, '', 1795527370272, 1795527370198, 1795527370272),
	('01a20dc5-65d6-7cc6-b3c9-63c24497c4e4', '01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b', '', 'client.registered', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370270, 204, '', 2, '', 1795527370272, 1795527370198, 1795527370272),
	('01a20dc5-675b-73ee-afd5-d7401a16f260', '01a20dc5-675b-7388-8558-ad4eda85f82a', '', 'client.registered', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370637, 204, '', 17, '', 1795527370654, 1795527370586, 1795527370654),
	('01a20dc5-675b-73e8-bbab-f60fd034fe0c', '01a20dc5-675b-7388-8558-ad4eda85f82a', '', 'client.registered', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370638, 204, '', 16, '', 1795527370654, 1795527370586, 1795527370654),
	('01a20dc5-675b-73e9-a984-df6182fff6c9', '01a20dc5-675b-7388-8558-ad4eda85f82a', '', 'client.registered', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370638, 204, '', 16, '', 1795527370654, 1795527370586, 1795527370654),
	('01a20dc5-6838-72ac-ad68-986b31a996d5', '01a20dc5-6838-7259-830a-39c906430fe6', '', 'client.registered', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370836, 204, '', 0, '', 1795527370836, 1795527370807, 1795527370836),
	('01a20dc5-6838-72ad-85dd-e6603ff83b14', '01a20dc5-6838-7259-830a-39c906430fe6', '', 'client.registered', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370836, 204, '', 1, '', 1795527370837, 1795527370807, 1795527370837),
	('01a20dc5-6838-72ae-8cd3-40a9857c3e9b', '01a20dc5-6838-7259-830a-39c906430fe6', '', 'client.registered', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370836, 204, '', 1, '', 1795527370837, 1795527370807, 1795527370837),
	('01a20dc5-6885-7f06-be52-1d58753fabb2', '01a20dc5-6885-7e79-bb2c-2be6dfedee41', '', 'client.activated', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527370934, 204, '', 11, '', 1795527370945, 1795527370833, 1795527370945),
	('01a20dc5-6885-7f07-b9ef-8645ac90ae85', '01a20dc5-6885-7e79-bb2c-2be6dfedee41', '', 'client.activated', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370934, 204, '', 12, '', 1795527370946, 1795527370833, 1795527370946),
	('01a20dc5-7123-7e8e-81e8-90cf5d14455a', '01a20dc5-7123-7dfe-89da-ea34f5afb199', '', 'client.activated', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373154, 204, '', 1, '', 1795527373155, 1795527373048, 1795527373155),
	('01a20dc5-6415-7a87-85c9-296e50f68e03', '01a20dc5-6415-7a11-b4d9-375b33d3df1f', '', 'client.activated', 'c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527369713, 1795527465671),
	('01a20dc5-67bc-7d67-9080-463774eab247', '01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5', '', 'client.activated', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527370748, 204, '', 0, '', 1795527370748, 1795527370630, 1795527370748),
	('01a20dc5-6c34-798a-83ae-c9ddf551a380', '01a20dc5-6c34-78f4-b3af-3c2044c547df', '', 'client.registered', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 0, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527371918, 204, '', 6, '', 1795527371924, 1795527371795, 1795527371924),
	('01a20dc5-6c34-7986-ba03-16f47a6e97c5', '01a20dc5-6c34-78f4-b3af-3c2044c547df', '', 'client.registered', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 0, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527371917, 204, '', 7, '', 1795527371924, 1795527371795, 1795527371924),
	('01a20dc5-6c34-798b-a76a-d4a7b8d46bdc', '01a20dc5-6c34-78f4-b3af-3c2044c547df', '', 'client.registered', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 0, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527371918, 204, '', 6, '', 1795527371924, 1795527371795, 1795527371924),
	('01a20dc5-6e27-7770-84e0-934223104208', '01a20dc5-6e27-7722-b1a4-c32acd3a912b', '', 'client.failed', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527372376, 204, '', 20, '', 1795527372396, 1795527372262, 1795527372396),
	('01a20dc5-6e27-776b-8830-3fe0cd0b26dc', '01a20dc5-6e27-7722-b1a4-c32acd3a912b', '', 'client.failed', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527372377, 204, '', 19, '', 1795527372396, 1795527372262, 1795527372396),
	('01a20dc5-6e27-776f-b7e8-f4bec491c68e', '01a20dc5-6e27-7722-b1a4-c32acd3a912b', '', 'client.failed', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527372376, 204, '', 20, '', 1795527372396, 1795527372262, 1795527372396),
	('01a20dc5-6f20-770f-a5fd-bec061e9a17b', '01a20dc5-6f20-761e-9d86-3a3d6d9ba443', '', 'client.registered', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 0, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527372702, 204, '', 5, '', 1795527372707, 1795527372549, 1795527372707),
	('01a20dc5-6f20-7710-a671-62600c35ef90', '01a20dc5-6f20-761e-9d86-3a3d6d9ba443', '', 'client.registered', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 0, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527372702, 204, '', 5, '', 1795527372707, 1795527372549, 1795527372707),
	('01a20dc5-6f20-7711-b1b3-c6d72d660dc4', '01a20dc5-6f20-761e-9d86-3a3d6d9ba443', '', 'client.registered', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 0, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527372702, 204, '', 5, '', 1795527372707, 1795527372549, 1795527372707),
	('01a20dc5-70eb-71e8-8d61-71be57df570e', '01a20dc5-70eb-7155-8e7b-3036c2c50d7b', '', 'client.registered', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373082, 204, '', 2, '', 1795527373084, 1795527373029, 1795527373084),
	('01a20dc5-70eb-71dc-a81e-4f701c037128', '01a20dc5-70eb-7155-8e7b-3036c2c50d7b', '', 'client.registered', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373082, 204, '', 2, '', 1795527373084, 1795527373029, 1795527373084),
	('01a20dc5-70eb-71e7-8488-99b28fe26135', '01a20dc5-70eb-7155-8e7b-3036c2c50d7b', '', 'client.registered', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373082, 204, '', 2, '', 1795527373084, 1795527373029, 1795527373084),
	('01a20dc5-7123-7e8c-9d70-1bd1cbd86710', '01a20dc5-7123-7dfe-89da-ea34f5afb199', '', 'client.activated', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373154, 204, '', 1, '', 1795527373155, 1795527373048, 1795527373155),
	('01a20dc5-7123-7e8d-99b1-cff625829659', '01a20dc5-7123-7dfe-89da-ea34f5afb199', '', 'client.activated', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373154, 204, '', 1, '', 1795527373155, 1795527373048, 1795527373155),
	('01a20dc5-7215-71cd-b0b7-bb2bee5c71fe', '01a20dc5-7215-70f7-8cbc-1938d398c0a7', '', 'client.activated', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373403, 204, '', 0, '', 1795527373403, 1795527373296, 1795527373403),
	('01a20dc5-7215-71d0-a79a-eef191bd7db8', '01a20dc5-7215-70f7-8cbc-1938d398c0a7', '', 'client.activated', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373403, 204, '', 0, '', 1795527373403, 1795527373296, 1795527373403),
	('01a20dc5-6c34-7984-9d89-db3978bebfa0', '01a20dc5-6c34-78f4-b3af-3c2044c547df', '', 'client.registered', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 0, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527371795, 1795527465671),
	('01a20dc5-6e27-7769-91cb-b255f7e29324', '01a20dc5-6e27-7722-b1a4-c32acd3a912b', '', 'client.failed', 'p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527372262, 1795527465671),
	('01a20dc5-6f20-770c-8f62-945d1d05fc12', '01a20dc5-6f20-761e-9d86-3a3d6d9ba443', '', 'client.registered', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 0, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527372549, 1795527465671),
	('01a20dc5-70eb-71da-b205-4c53c07a33d9', '01a20dc5-70eb-7155-8e7b-3036c2c50d7b', '', 'client.registered', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373029, 1795527465671),
	('01a20dc5-6885-7f08-ab87-6732608b89de', '01a20dc5-6885-7e79-bb2c-2be6dfedee41', '', 'client.activated', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527370934, 204, '', 12, '', 1795527370946, 1795527370833, 1795527370946),
	('01a20dc5-697c-724a-b929-1e2551f8e975', '01a20dc5-697c-71e0-8ece-c132aaf0416e', '', 'client.registered', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527371218, 204, '', 5, '', 1795527371223, 1795527371131, 1795527371223),
	('01a20dc5-697c-7248-8430-a10757ee9293', '01a20dc5-697c-71e0-8ece-c132aaf0416e', '', 'client.registered', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527371218, 204, '', 5, '', 1795527371223, 1795527371131, 1795527371223),
	('01a20dc5-697c-7249-a05e-e18885863060', '01a20dc5-697c-71e0-8ece-c132aaf0416e', '', 'client.registered', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527371218, 204, '', 5, '', 1795527371223, 1795527371131, 1795527371223);
INSERT INTO public.delivery VALUES
	('01a20dc5-69c5-7011-85ad-00dbb724a60e', '01a20dc5-69c4-7eb9-bdaa-1ce1025bed54', '', 'client.activated', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527371253, 204, '', 64, '', 1795527371317, 1795527371164, 1795527371317),
	('01a20dc5-69c5-700f-85de-465010105597', '01a20dc5-69c4-7eb9-bdaa-1ce1025bed54', '', 'client.activated', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527371252, 204, '', 65, '', 1795527371317, 1795527371164, 1795527371317),
	('01a20dc5-69c5-7012-8343-a72dea824691', '01a20dc5-69c4-7eb9-bdaa-1ce1025bed54', '', 'client.activated', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527371254, 204, '', 63, '', 1795527371317, 1795527371164, 1795527371317),
	('01a20dc5-6a60-7a95-86fe-227a3ef856cb', '01a20dc5-6a60-7a0f-a269-d5cd42067613', '', 'client.registered', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 0, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527371439, 204, '', 11, '', 1795527371450, 1795527371225, 1795527371450),
	('01a20dc5-6a60-7a93-8be2-d66ec3d0d111', '01a20dc5-6a60-7a0f-a269-d5cd42067613', '', 'client.registered', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 0, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527371438, 204, '', 12, '', 1795527371450, 1795527371225, 1795527371450),
	('01a20dc5-6a60-7a96-86b1-f158d2536c5f', '01a20dc5-6a60-7a0f-a269-d5cd42067613', '', 'client.registered', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 0, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527371438, 204, '', 12, '', 1795527371450, 1795527371225, 1795527371450),
	('01a20dc5-6ce6-7cbd-893c-0a6ca22cda0c', '01a20dc5-6ce6-7c14-870b-215106c86ca2', '', 'client.activated', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527372074, 204, '', 1, '', 1795527372075, 1795527371967, 1795527372075),
	('01a20dc5-6ce6-7cbe-b8d0-ed3b5a0748ed', '01a20dc5-6ce6-7c14-870b-215106c86ca2', '', 'client.activated', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527372074, 204, '', 1, '', 1795527372075, 1795527371967, 1795527372075),
	('01a20dc5-697c-7246-8bbd-fa3601fdb571', '01a20dc5-697c-71e0-8ece-c132aaf0416e', '', 'client.registered', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527371131, 1795527465671),
	('01a20dc5-69c5-700c-a127-daf2d4134b05', '01a20dc5-69c4-7eb9-bdaa-1ce1025bed54', '', 'client.activated', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527371164, 1795527465671),
	('01a20dc5-6a60-7a91-a9bc-e051fa729847', '01a20dc5-6a60-7a0f-a269-d5cd42067613', '', 'client.registered', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 0, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527371225, 1795527465671),
	('01a20dc5-6ce6-7cb8-a65e-a605140b4da5', '01a20dc5-6ce6-7c14-870b-215106c86ca2', '', 'client.activated', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527371967, 1795527465671),
	('01a20dc5-6ce6-7cbf-9b26-ec4cca0a22b7', '01a20dc5-6ce6-7c14-870b-215106c86ca2', '', 'client.activated', 'cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527372074, 204, '', 1, '', 1795527372075, 1795527371967, 1795527372075),
	('01a20dc5-6eeb-739b-b60d-73200840b21e', '01a20dc5-6eeb-72cf-a72c-19de1a4d7522', '', 'client.failed', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527372608, 204, '', 15, '', 1795527372623, 1795527372395, 1795527372623),
	('01a20dc5-6eeb-7399-a784-70fb34b8df0d', '01a20dc5-6eeb-72cf-a72c-19de1a4d7522', '', 'client.failed', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527372613, 204, '', 13, '', 1795527372626, 1795527372395, 1795527372626),
	('01a20dc5-6eeb-739a-8a36-457c62412825', '01a20dc5-6eeb-72cf-a72c-19de1a4d7522', '', 'client.failed', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527372623, 204, '', 3, '', 1795527372626, 1795527372395, 1795527372626),
	('01a20dc5-714a-7513-93ee-4d5150ca22de', '01a20dc5-714a-74b7-8e89-87cc9cd4f0da', '', 'client.registered', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373208, 204, '', 2, '', 1795527373210, 1795527373126, 1795527373210),
	('01a20dc5-714a-7511-a4c2-ce7a8b012451', '01a20dc5-714a-74b7-8e89-87cc9cd4f0da', '', 'client.registered', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373209, 204, '', 2, '', 1795527373211, 1795527373126, 1795527373211),
	('01a20dc5-714a-7512-9308-09aed49cecb8', '01a20dc5-714a-74b7-8e89-87cc9cd4f0da', '', 'client.registered', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373208, 204, '', 3, '', 1795527373211, 1795527373126, 1795527373211),
	('01a20dc5-71ba-794f-af58-5e5e653b0289', '01a20dc5-71ba-78a4-b408-754de20b1dbb', '', 'client.activated', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373334, 204, '', 19, '', 1795527373353, 1795527373183, 1795527373353),
	('01a20dc5-71ba-794c-bb5d-a97048580d98', '01a20dc5-71ba-78a4-b408-754de20b1dbb', '', 'client.activated', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373334, 204, '', 19, '', 1795527373353, 1795527373183, 1795527373353),
	('01a20dc5-71ba-7950-bf05-906c58d2d5cc', '01a20dc5-71ba-78a4-b408-754de20b1dbb', '', 'client.activated', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373334, 204, '', 19, '', 1795527373353, 1795527373183, 1795527373353),
	('01a20dc5-71d0-74a8-bb6c-7d73fa713c6a', '01a20dc5-71d0-744c-8437-292a45a4e9ee', '', 'client.registered', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527373334, 204, '', 19, '', 1795527373353, 1795527373254, 1795527373353),
	('01a20dc5-71d0-74a9-9000-de120e733666', '01a20dc5-71d0-744c-8437-292a45a4e9ee', '', 'client.registered', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527373335, 204, '', 18, '', 1795527373353, 1795527373254, 1795527373353),
	('01a20dc5-71d0-74aa-80c9-aa7af6a99fd2', '01a20dc5-71d0-744c-8437-292a45a4e9ee', '', 'client.registered', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527373334, 204, '', 19, '', 1795527373353, 1795527373254, 1795527373353),
	('01a20dc6-8b28-78b8-b8de-e42336b681c4', '01a20dc6-8b28-785a-b0fc-7e94ab8e1e09', '', 'client.registered', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527445330, 204, '', 12, '', 1795527445342, 1795527445288, 1795527445342),
	('01a20dc6-8b28-78b7-8721-dd69956fb8c7', '01a20dc6-8b28-785a-b0fc-7e94ab8e1e09', '', 'client.registered', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527445330, 204, '', 13, '', 1795527445343, 1795527445288, 1795527445343),
	('01a20dc6-8b28-78b9-9ebf-90d088047725', '01a20dc6-8b28-785a-b0fc-7e94ab8e1e09', '', 'client.registered', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527445330, 204, '', 13, '', 1795527445343, 1795527445288, 1795527445343),
	('01a20dc5-6eeb-738c-84be-fd3392bd8754', '01a20dc5-6eeb-72cf-a72c-19de1a4d7522', '', 'client.failed', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527372395, 1795527465671),
	('01a20dc5-714a-750d-bd08-99052fd530b7', '01a20dc5-714a-74b7-8e89-87cc9cd4f0da', '', 'client.registered', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373126, 1795527465671),
	('01a20dc5-71ba-7949-9540-9e016601bcbd', '01a20dc5-71ba-78a4-b408-754de20b1dbb', '', 'client.activated', '4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373183, 1795527465671),
	('01a20dc5-71d0-74a6-b88e-f595934d39d2', '01a20dc5-71d0-744c-8437-292a45a4e9ee', '', 'client.registered', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373254, 1795527465671),
	('01a20dc6-8b28-78b3-ac54-192b464ee5c5', '01a20dc6-8b28-785a-b0fc-7e94ab8e1e09', '', 'client.registered', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527445288, 1795527465671),
	('01a20dc6-8b33-76cd-b90d-f16bede2fc30', '01a20dc6-8b33-765f-8d10-cec6f7a3e59b', '', 'client.activated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527445388, 204, '', 8, '', 1795527445396, 1795527445294, 1795527445396),
	('01a20dc6-8b33-76ca-85ab-e11e3f11cdc2', '01a20dc6-8b33-765f-8d10-cec6f7a3e59b', '', 'client.activated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527445387, 204, '', 9, '', 1795527445396, 1795527445294, 1795527445396),
	('01a20dc6-8b33-76ce-a05b-83a2f39de2a8', '01a20dc6-8b33-765f-8d10-cec6f7a3e59b', '', 'client.activated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527445387, 204, '', 9, '', 1795527445396, 1795527445294, 1795527445396),
	('01a20dc6-8b97-7b78-9dde-1377fa455aca', '01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', 'client.deactivated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 3, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527446611, 204, '', 12, '', 1795527446623, 1795527445386, 1795527446623),
	('01a20dc6-8b97-7b7c-be98-4e3749a88406', '01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', 'client.deactivated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 3, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527446612, 204, '', 12, '', 1795527446624, 1795527445386, 1795527446624),
	('01a20dc6-8b97-7b7d-8083-a5d035a89cb7', '01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', 'client.deactivated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 3, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527446610, 204, '', 14, '', 1795527446624, 1795527445386, 1795527446624),
	('01a20dc6-8b97-7b77-b989-b598e41046fc', '01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', 'client.deactivated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 3, '01a20dc5-5e48-77af-bbe6-fe745845f740', 'slow', 'http://127.0.0.1:18476/slow', '01a20dc5-5e48-77af-bbe6-fe745845f740', 'sending', DEFAULT, 1, 1, 0, 1795527446611, 0, 'timeout', 10001, '', 0, 1795527445386, 1795527456612),
	('01a20dc5-60dc-7ddd-b85f-3cbec9c4c990', '01a20dc5-60dc-7d80-8f89-d11ac5a471df', '', 'client.registered', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527369063, 503, 'status 503', 4, '', 0, 1795527368919, 1795527465671),
	('01a20dc5-61ad-7657-b685-251d0716c280', '01a20dc5-61ad-75e2-b9ab-271fb53129c5', '', 'client.activated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527369252, 503, 'status 503', 1, '', 0, 1795527369031, 1795527465671),
	('01a20dc5-628b-7e29-8a95-9c9fdf68531e', '01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', 'client.deactivated', 'hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 3, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 1, 0, 1795527369518, 503, 'status 503', 21, '', 0, 1795527369328, 1795527465671),
	('01a20dc5-6da0-7322-ae43-7c49432540e9', '01a20dc5-6da0-7277-8168-8d493fde6191', '', 'client.registered', 'AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0', 0, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527372151, 1795527465671),
	('01a20dc5-7215-71cb-9d7a-5177886096c0', '01a20dc5-7215-70f7-8cbc-1938d398c0a7', '', 'client.activated', 'UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373296, 1795527465671),
	('01a20dc5-6540-7924-b68c-7abb6199a5f3', '01a20dc5-6540-7821-9b85-72ad17926a93', '', 'client.failed', 'xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370014, 1795527465671),
	('01a20dc5-6568-7de1-af93-4007fe157670', '01a20dc5-6568-7d83-852e-048a49592895', '', 'client.registered', 'of-the-provider', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370086, 1795527465671),
	('01a20dc5-67bc-7d62-a948-f549c220c535', '01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5', '', 'client.activated', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370630, 1795527465671),
	('01a20dc5-65c5-73ea-bde9-8371458df1cd', '01a20dc5-65c5-736f-ac1f-9d118a0f3ea4', '', 'client.activated', 'of-the-provider', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370123, 1795527465671),
	('01a20dc5-65d6-7cc1-b1b8-aa2809ec901f', '01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b', '', 'client.registered', 'OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370198, 1795527465671),
	('01a20dc6-8b33-76c8-b7b0-e6be3823bf3d', '01a20dc6-8b33-765f-8d10-cec6f7a3e59b', '', 'client.activated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527445294, 1795527465671),
	('01a20dc6-8b97-7b74-8846-0920cfa6f86d', '01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', 'client.deactivated', '4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 3, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527445386, 1795527465671),
	('01a20dc5-675b-73e4-964c-f42010345e3d', '01a20dc5-675b-7388-8558-ad4eda85f82a', '', 'client.registered', 'yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370586, 1795527465671),
	('01a20dc5-6838-72a8-a47d-23e6ab716404', '01a20dc5-6838-7259-830a-39c906430fe6', '', 'client.registered', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 1, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370807, 1795527465671),
	('01a20dc5-6885-7f04-8b40-13eb1fb40b05', '01a20dc5-6885-7e79-bb2c-2be6dfedee41', '', 'client.activated', 'a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527370833, 1795527465671),
	('01a20dc5-7123-7e88-ace1-5648598164cc', '01a20dc5-7123-7dfe-89da-ea34f5afb199', '', 'client.activated', 'BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 2, '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '01a20dc5-5dbd-717b-8f88-cf4f09662645', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527373048, 1795527465671),
	('01a20dc6-db1a-7cd8-8478-175f13c519d4', '01a20dc6-db1a-7c6d-affa-1db857c4951c', '', 'client.registered', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 1, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527465915, 204, '', 2, '', 1795527465917, 1795527465743, 1795527465917),
	('01a20dc6-db1a-7cd4-8b65-d4ea30950c00', '01a20dc6-db1a-7c6d-affa-1db857c4951c', '', 'client.registered', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 1, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527465915, 204, '', 2, '', 1795527465917, 1795527465743, 1795527465917),
	('01a20dc6-db1a-7cd7-83d5-f9184a687762', '01a20dc6-db1a-7c6d-affa-1db857c4951c', '', 'client.registered', '7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 1, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527465915, 204, '', 2, '', 1795527465917, 1795527465743, 1795527465917),
	('01a20dc6-dd0f-7114-bebf-765f1d07178f', '01a20dc6-dd0f-707c-b6fc-62c3a1512b4f', '', 'client.registered', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 0, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527466303, 204, '', 1, '', 1795527466304, 1795527466189, 1795527466304),
	('01a20dc6-dd0f-7112-9950-907f21bcf15c', '01a20dc6-dd0f-707c-b6fc-62c3a1512b4f', '', 'client.registered', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 0, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527466303, 204, '', 1, '', 1795527466304, 1795527466189, 1795527466304),
	('01a20dc6-dd0f-7115-af00-30fd50010616', '01a20dc6-dd0f-707c-b6fc-62c3a1512b4f', '', 'client.registered', 'UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 0, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527466303, 204, '', 1, '', 1795527466304, 1795527466189, 1795527466304),
	('01a20dc6-dd67-760c-8545-0076caddcf67', '01a20dc6-dd67-7565-a387-55c4239018c6', '', 'client.failed', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 2, '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'delivered', DEFAULT, 1, 1, 0, 1795527466413, 204, '', 1, '', 1795527466414, 1795527466266, 1795527466414),
	('01a20dc6-dd67-760e-aec4-303f8e9a9c4d', '01a20dc6-dd67-7565-a387-55c4239018c6', '', 'client.failed', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 2, '01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dc5-5e79-7d02-ae39-337c590bea93', 'delivered', DEFAULT, 1, 1, 0, 1795527466413, 204, '', 1, '', 1795527466414, 1795527466266, 1795527466414),
	('01a20dc6-dd67-760f-a977-240958dd01db', '01a20dc6-dd67-7565-a387-55c4239018c6', '', 'client.failed', 'Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM', 2, '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'delivered', DEFAULT, 1, 1, 0, 1795527466413, 204, '', 1, '', 1795527466414, 1795527466266, 1795527466414);

INSERT INTO public.delivery_attempt VALUES
	('01a20dc5-600f-7902-b406-d272653b339e', 1, 1, 1, 1795527368921, 1795527368932, 'delivered', 204, '', ''),
	('01a20dc5-600f-7906-8743-c6c0f98c817a', 1, 1, 1, 1795527368920, 1795527368932, 'delivered', 204, '', ''),
	('01a20dc5-600f-7905-82ab-76a440e7c52b', 1, 1, 1, 1795527368921, 1795527368932, 'delivered', 204, '', ''),
	('01a20dc5-600f-7900-8bd1-437e382fefa8', 1, 1, 1, 1795527368921, 1795527368932, 'failed', 503, 'status 503', ''),
	('01a20dc5-60b3-787e-aab4-83b9f2edc097', 1, 1, 1, 1795527368997, 1795527369010, 'delivered', 204, '', ''),
	('01a20dc5-60b3-787d-8dd2-32c40db3910b', 1, 1, 1, 1795527368997, 1795527369012, 'delivered', 204, '', ''),
	('01a20dc5-60b3-787b-acbe-0bcbf8282b77', 1, 1, 1, 1795527368996, 1795527369012, 'delivered', 204, '', ''),
	('01a20dc5-60b3-7877-9dc5-e54ea42f5847', 1, 1, 1, 1795527368997, 1795527369012, 'failed', 503, 'status 503', ''),
	('01a20dc5-60b3-787a-a9ae-a76a40dac2e9', 1, 1, 1, 1795527368997, 1795527369012, 'failed', 410, 'status 410', ''),
	('01a20dc5-60dc-7de0-b6f4-85c801a5eb69', 1, 1, 1, 1795527369064, 1795527369067, 'delivered', 204, '', ''),
	('01a20dc5-60dc-7de3-ad5d-dd1d0726385c', 1, 1, 1, 1795527369064, 1795527369067, 'delivered', 204, '', ''),
	('01a20dc5-60dc-7ddd-b85f-3cbec9c4c990', 1, 1, 1, 1795527369063, 1795527369067, 'failed', 503, 'status 503', ''),
	('01a20dc5-60dc-7de4-b5ce-1840fe0ddcf3', 1, 1, 1, 1795527369064, 1795527369067, 'delivered', 204, '', ''),
	('01a20dc5-61ad-7659-a9b2-0fd236bc76bf', 1, 1, 1, 1795527369251, 1795527369252, 'delivered', 204, '', ''),
	('01a20dc5-61ad-765b-a883-8582373e38c5', 1, 1, 1, 1795527369251, 1795527369252, 'delivered', 204, '', ''),
	('01a20dc5-61ad-765c-91e3-7eafa0e08388', 1, 1, 1, 1795527369251, 1795527369252, 'delivered', 204, '', ''),
	('01a20dc5-61ad-7657-b685-251d0716c280', 1, 1, 1, 1795527369252, 1795527369253, 'failed', 503, 'status 503', ''),
	('01a20dc5-62ab-7c4a-b085-3ac70363809b', 1, 1, 1, 1795527369518, 1795527369539, 'delivered', 204, '', ''),
	('01a20dc5-628b-7e29-8a95-9c9fdf68531e', 1, 1, 1, 1795527369518, 1795527369539, 'failed', 503, 'status 503', ''),
	('01a20dc5-62ab-7c48-99c7-dd365c2e0256', 1, 1, 1, 1795527369517, 1795527369539, 'failed', 503, 'status 503', ''),
	('01a20dc5-628b-7e2d-8bf4-dd90f235520f', 1, 1, 1, 1795527369517, 1795527369539, 'delivered', 204, '', ''),
	('01a20dc5-628b-7e2e-bbdd-4dc8036f5dab', 1, 1, 1, 1795527369517, 1795527369539, 'delivered', 204, '', ''),
	('01a20dc5-628b-7e2f-b189-8ba69c14f901', 1, 1, 1, 1795527369518, 1795527369539, 'delivered', 204, '', ''),
	('01a20dc5-62ab-7c4b-b2f4-b9445ae2e801', 1, 1, 1, 1795527369518, 1795527369561, 'delivered', 204, '', ''),
	('01a20dc5-62ab-7c4d-937e-82fb06dfb393', 1, 1, 1, 1795527369518, 1795527369561, 'delivered', 204, '', ''),
	('01a20dc5-6304-7575-a523-e6cc3043b048', 1, 1, 1, 1795527369555, 1795527369565, 'delivered', 204, '', ''),
	('01a20dc5-6304-756b-bc9b-d64515b19f00', 1, 1, 1, 1795527369555, 1795527369565, 'delivered', 204, '', ''),
	('01a20dc5-6304-7581-9068-32595a6073a5', 1, 1, 1, 1795527369555, 1795527369565, 'delivered', 204, '', ''),
	('01a20dc5-6304-7568-a8c5-072ff47df005', 1, 1, 1, 1795527369554, 1795527369565, 'failed', 503, 'status 503', ''),
	('01a20dc5-6378-7f02-bedf-d9680d5ff658', 1, 1, 1, 1795527369620, 1795527369620, 'delivered', 204, '', ''),
	('01a20dc5-6378-7f06-8bb2-c5d3522d1d3e', 1, 1, 1, 1795527369619, 1795527369620, 'delivered', 204, '', ''),
	('01a20dc5-6378-7f03-a4fc-23d6e1c960f2', 1, 1, 1, 1795527369620, 1795527369620, 'delivered', 204, '', ''),
	('01a20dc5-63d0-7d41-9c2e-b8379d1ad9c2', 1, 1, 1, 1795527369737, 1795527369745, 'delivered', 204, '', ''),
	('01a20dc5-63d0-7d40-b1c3-c90c5be5d36c', 1, 1, 1, 1795527369737, 1795527369745, 'delivered', 204, '', ''),
	('01a20dc5-63d0-7d3d-b3ea-3c8859d0e5e5', 1, 1, 1, 1795527369737, 1795527369745, 'delivered', 204, '', ''),
	('01a20dc5-6415-7a8e-82d6-ad3aa094234d', 1, 1, 1, 1795527369871, 1795527369873, 'delivered', 204, '', ''),
	('01a20dc5-6415-7a8b-9595-3d67ded09533', 1, 1, 1, 1795527369872, 1795527369873, 'delivered', 204, '', ''),
	('01a20dc5-6415-7a8a-b0cf-2a82e2e9173b', 1, 1, 1, 1795527369872, 1795527369873, 'delivered', 204, '', ''),
	('01a20dc5-64e1-758b-9d54-52411815f460', 1, 1, 1, 1795527370005, 1795527370020, 'delivered', 204, '', ''),
	('01a20dc5-64e1-758d-a161-cb1a8a0159cc', 1, 1, 1, 1795527370004, 1795527370020, 'delivered', 204, '', ''),
	('01a20dc5-64d0-7a62-9b05-eb17cc885888', 1, 1, 1, 1795527370004, 1795527370020, 'delivered', 204, '', ''),
	('01a20dc5-64d0-7a64-a1f7-cc4e20973e84', 1, 1, 1, 1795527370004, 1795527370020, 'delivered', 204, '', ''),
	('01a20dc5-64e1-758c-8dca-6c17766ab9e5', 1, 1, 1, 1795527370005, 1795527370020, 'delivered', 204, '', ''),
	('01a20dc5-64d0-7a65-8d56-d093470c6ef4', 1, 1, 1, 1795527370012, 1795527370041, 'delivered', 204, '', ''),
	('01a20dc5-6540-7927-bb5d-d1880974770f', 1, 1, 1, 1795527370134, 1795527370145, 'delivered', 204, '', ''),
	('01a20dc5-6540-792a-a1a6-1452317e04f1', 1, 1, 1, 1795527370133, 1795527370152, 'delivered', 204, '', ''),
	('01a20dc5-6540-7929-bc05-9395177a137c', 1, 1, 1, 1795527370134, 1795527370152, 'delivered', 204, '', ''),
	('01a20dc5-6568-7de3-95f4-a711bfb13557', 1, 1, 1, 1795527370157, 1795527370158, 'delivered', 204, '', ''),
	('01a20dc5-6568-7de5-9b82-d98ec03c79c4', 1, 1, 1, 1795527370157, 1795527370158, 'delivered', 204, '', ''),
	('01a20dc5-6568-7de6-8ac2-cfd433a04a51', 1, 1, 1, 1795527370156, 1795527370158, 'delivered', 204, '', ''),
	('01a20dc5-65d6-7cc3-910d-5759545d0b0b', 1, 1, 1, 1795527370270, 1795527370271, 'delivered', 204, '', ''),
	('01a20dc5-65d6-7cc6-b3c9-63c24497c4e4', 1, 1, 1, 1795527370270, 1795527370272, 'delivered', 204, '', ''),
	('01a20dc5-65c5-73ed-bdcc-d172253ca2e9', 1, 1, 1, 1795527370270, 1795527370272, 'delivered', 204, '', ''),
	('01a20dc5-65c5-73ef-88aa-a496c779f292', 1, 1, 1, 1795527370270, 1795527370272, 'delivered', 204, '', ''),
	('01a20dc5-65c5-73f0-b63e-db261aef3f8b', 1, 1, 1, 1795527370270, 1795527370272, 'delivered', 204, '', ''),
	('01a20dc5-65d6-7cc5-a7a6-a008e0d8386c', 1, 1, 1, 1795527370270, 1795527370272, 'delivered', 204, '', ''),
	('01a20dc5-675b-73ee-afd5-d7401a16f260', 1, 1, 1, 1795527370637, 1795527370654, 'delivered', 204, '', ''),
	('01a20dc5-675b-73e9-a984-df6182fff6c9', 1, 1, 1, 1795527370638, 1795527370654, 'delivered', 204, '', ''),
	('01a20dc5-675b-73e8-bbab-f60fd034fe0c', 1, 1, 1, 1795527370638, 1795527370654, 'delivered', 204, '', ''),
	('01a20dc5-67bc-7d68-965d-05041d7aeb2e', 1, 1, 1, 1795527370747, 1795527370748, 'delivered', 204, '', ''),
	('01a20dc5-67bc-7d66-8c89-4b132d9f89cd', 1, 1, 1, 1795527370748, 1795527370748, 'delivered', 204, '', ''),
	('01a20dc5-67bc-7d67-9080-463774eab247', 1, 1, 1, 1795527370748, 1795527370748, 'delivered', 204, '', ''),
	('01a20dc5-6838-72ac-ad68-986b31a996d5', 1, 1, 1, 1795527370836, 1795527370836, 'delivered', 204, '', ''),
	('01a20dc5-6838-72ad-85dd-e6603ff83b14', 1, 1, 1, 1795527370836, 1795527370837, 'delivered', 204, '', ''),
	('01a20dc5-6838-72ae-8cd3-40a9857c3e9b', 1, 1, 1, 1795527370836, 1795527370837, 'delivered', 204, '', ''),
	('01a20dc5-6885-7f06-be52-1d58753fabb2', 1, 1, 1, 1795527370934, 1795527370945, 'delivered', 204, '', ''),
	('01a20dc5-6885-7f08-ab87-6732608b89de', 1, 1, 1, 1795527370934, 1795527370946, 'delivered', 204, '', ''),
	('01a20dc5-6885-7f07-b9ef-8645ac90ae85', 1, 1, 1, 1795527370934, 1795527370946, 'delivered', 204, '', ''),
	('01a20dc5-697c-724a-b929-1e2551f8e975', 1, 1, 1, 1795527371218, 1795527371223, 'delivered', 204, '', ''),
	('01a20dc5-697c-7248-8430-a10757ee9293', 1, 1, 1, 1795527371218, 1795527371223, 'delivered', 204, '', ''),
	('01a20dc5-697c-7249-a05e-e18885863060', 1, 1, 1, 1795527371218, 1795527371223, 'delivered', 204, '', ''),
	('01a20dc5-69c5-7011-85ad-00dbb724a60e', 1, 1, 1, 1795527371253, 1795527371317, 'delivered', 204, '', ''),
	('01a20dc5-69c5-700f-85de-465010105597', 1, 1, 1, 1795527371252, 1795527371317, 'delivered', 204, '', ''),
	('01a20dc5-69c5-7012-8343-a72dea824691', 1, 1, 1, 1795527371254, 1795527371317, 'delivered', 204, '', ''),
	('01a20dc5-6a60-7a95-86fe-227a3ef856cb', 1, 1, 1, 1795527371439, 1795527371450, 'delivered', 204, '', ''),
	('01a20dc5-6a60-7a96-86b1-f158d2536c5f', 1, 1, 1, 1795527371438, 1795527371450, 'delivered', 204, '', ''),
	('01a20dc5-6a60-7a93-8be2-d66ec3d0d111', 1, 1, 1, 1795527371438, 1795527371450, 'delivered', 204, '', ''),
	('01a20dc5-6c34-798a-83ae-c9ddf551a380', 1, 1, 1, 1795527371918, 1795527371924, 'delivered', 204, '', ''),
	('01a20dc5-6c34-7986-ba03-16f47a6e97c5', 1, 1, 1, 1795527371917, 1795527371924, 'delivered', 204, '', ''),
	('01a20dc5-6c34-798b-a76a-d4a7b8d46bdc', 1, 1, 1, 1795527371918, 1795527371924, 'delivered', 204, '', ''),
	('01a20dc5-6ce6-7cbf-9b26-ec4cca0a22b7', 1, 1, 1, 1795527372074, 1795527372075, 'delivered', 204, '', ''),
	('01a20dc5-6ce6-7cbe-b8d0-ed3b5a0748ed', 1, 1, 1, 1795527372074, 1795527372075, 'delivered', 204, '', ''),
	('01a20dc5-6ce6-7cbd-893c-0a6ca22cda0c', 1, 1, 1, 1795527372074, 1795527372075, 'delivered', 204, '', ''),
	('01a20dc5-6da0-7325-b99f-8209b6492fb5', 1, 1, 1, 1795527372318, 1795527372336, 'delivered', 204, '', ''),
	('01a20dc5-6da0-7327-843d-fde94b86ed44', 1, 1, 1, 1795527372318, 1795527372336, 'delivered', 204, '', ''),
	('01a20dc5-6da0-7326-ad70-502ae0d0fbd2', 1, 1, 1, 1795527372318, 1795527372336, 'delivered', 204, '', ''),
	('01a20dc5-714a-7513-93ee-4d5150ca22de', 1, 1, 1, 1795527373208, 1795527373210, 'delivered', 204, '', ''),
	('01a20dc5-714a-7511-a4c2-ce7a8b012451', 1, 1, 1, 1795527373209, 1795527373211, 'delivered', 204, '', ''),
	('01a20dc5-714a-7512-9308-09aed49cecb8', 1, 1, 1, 1795527373208, 1795527373211, 'delivered', 204, '', ''),
	('01a20dc5-6378-7efe-987f-ab352099ad85', 1, 1, 1, 1795527399725, 1795527399726, 'failed', 503, 'status 503', ''),
	('01a20dc5-6e27-7770-84e0-934223104208', 1, 1, 1, 1795527372376, 1795527372396, 'delivered', 204, '', ''),
	('01a20dc5-6e27-776b-8830-3fe0cd0b26dc', 1, 1, 1, 1795527372377, 1795527372396, 'delivered', 204, '', ''),
	('01a20dc5-6e27-776f-b7e8-f4bec491c68e', 1, 1, 1, 1795527372376, 1795527372396, 'delivered', 204, '', ''),
	('01a20dc5-6eeb-739b-b60d-73200840b21e', 1, 1, 1, 1795527372608, 1795527372623, 'delivered', 204, '', ''),
	('01a20dc5-6eeb-739a-8a36-457c62412825', 1, 1, 1, 1795527372623, 1795527372626, 'delivered', 204, '', ''),
	('01a20dc5-6eeb-7399-a784-70fb34b8df0d', 1, 1, 1, 1795527372613, 1795527372626, 'delivered', 204, '', ''),
	('01a20dc5-6f20-770f-a5fd-bec061e9a17b', 1, 1, 1, 1795527372702, 1795527372707, 'delivered', 204, '', ''),
	('01a20dc5-6f20-7711-b1b3-c6d72d660dc4', 1, 1, 1, 1795527372702, 1795527372707, 'delivered', 204, '', ''),
	('01a20dc5-6f20-7710-a671-62600c35ef90', 1, 1, 1, 1795527372702, 1795527372707, 'delivered', 204, '', ''),
	('01a20dc5-70eb-71e8-8d61-71be57df570e', 1, 1, 1, 1795527373082, 1795527373084, 'delivered', 204, '', '');
INSERT INTO public.delivery_attempt VALUES
	('01a20dc5-70eb-71dc-a81e-4f701c037128', 1, 1, 1, 1795527373082, 1795527373084, 'delivered', 204, '', ''),
	('01a20dc5-70eb-71e7-8488-99b28fe26135', 1, 1, 1, 1795527373082, 1795527373084, 'delivered', 204, '', ''),
	('01a20dc5-7123-7e8c-9d70-1bd1cbd86710', 1, 1, 1, 1795527373154, 1795527373155, 'delivered', 204, '', ''),
	('01a20dc5-7123-7e8e-81e8-90cf5d14455a', 1, 1, 1, 1795527373154, 1795527373155, 'delivered', 204, '', ''),
	('01a20dc5-7123-7e8d-99b1-cff625829659', 1, 1, 1, 1795527373154, 1795527373155, 'delivered', 204, '', ''),
	('01a20dc5-71ba-794f-af58-5e5e653b0289', 1, 1, 1, 1795527373334, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-71ba-794c-bb5d-a97048580d98', 1, 1, 1, 1795527373334, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-71ba-7950-bf05-906c58d2d5cc', 1, 1, 1, 1795527373334, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-71d0-74aa-80c9-aa7af6a99fd2', 1, 1, 1, 1795527373334, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-71d0-74a8-bb6c-7d73fa713c6a', 1, 1, 1, 1795527373334, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-71d0-74a9-9000-de120e733666', 1, 1, 1, 1795527373335, 1795527373353, 'delivered', 204, '', ''),
	('01a20dc5-7215-71cd-b0b7-bb2bee5c71fe', 1, 1, 1, 1795527373403, 1795527373403, 'delivered', 204, '', ''),
	('01a20dc5-7215-71d0-a79a-eef191bd7db8', 1, 1, 1, 1795527373403, 1795527373403, 'delivered', 204, '', ''),
	('01a20dc5-7215-71ce-af3c-78f93e791fa9', 1, 1, 1, 1795527373402, 1795527373403, 'delivered', 204, '', ''),
	('01a20dc5-628b-7e2c-af6c-6ca476f15e88', 1, 1, 1, 1795527369517, 1795527379519, 'failed', 0, 'timeout', ''),
	('01a20dc5-6378-7f00-b731-f060ca9029b6', 1, 1, 1, 1795527369620, 1795527379622, 'failed', 0, 'timeout', ''),
	('01a20dc6-8b28-78b8-b8de-e42336b681c4', 1, 1, 1, 1795527445330, 1795527445342, 'delivered', 204, '', ''),
	('01a20dc6-8b28-78b7-8721-dd69956fb8c7', 1, 1, 1, 1795527445330, 1795527445343, 'delivered', 204, '', ''),
	('01a20dc6-8b28-78b9-9ebf-90d088047725', 1, 1, 1, 1795527445330, 1795527445343, 'delivered', 204, '', ''),
	('01a20dc6-8b33-76cd-b90d-f16bede2fc30', 1, 1, 1, 1795527445388, 1795527445396, 'delivered', 204, '', ''),
	('01a20dc6-8b33-76ca-85ab-e11e3f11cdc2', 1, 1, 1, 1795527445387, 1795527445396, 'delivered', 204, '', ''),
	('01a20dc6-8b33-76ce-a05b-83a2f39de2a8', 1, 1, 1, 1795527445387, 1795527445396, 'delivered', 204, '', ''),
	('01a20dc6-8b97-7b78-9dde-1377fa455aca', 1, 1, 1, 1795527446611, 1795527446623, 'delivered', 204, '', ''),
	('01a20dc6-8b97-7b7d-8083-a5d035a89cb7', 1, 1, 1, 1795527446610, 1795527446624, 'delivered', 204, '', ''),
	('01a20dc6-8b97-7b7c-be98-4e3749a88406', 1, 1, 1, 1795527446612, 1795527446624, 'delivered', 204, '', ''),
	('01a20dc6-8b97-7b77-b989-b598e41046fc', 1, 1, 1, 1795527446611, 1795527456612, 'failed', 0, 'timeout', ''),
	('01a20dc5-63d0-7d3b-8029-c00f654ac059', 1, 1, 1, 1795527459858, 1795527459860, 'failed', 503, 'status 503', ''),
	('01a20dc5-6378-7f00-b731-f060ca9029b6', 1, 2, NULL, 1795527445293, 1795527465640, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dc5-628b-7e2c-af6c-6ca476f15e88', 1, 2, NULL, 1795527445293, 1795527465640, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dc6-db1a-7cd8-8478-175f13c519d4', 1, 1, 1, 1795527465915, 1795527465917, 'delivered', 204, '', ''),
	('01a20dc6-db1a-7cd7-83d5-f9184a687762', 1, 1, 1, 1795527465915, 1795527465917, 'delivered', 204, '', ''),
	('01a20dc6-db1a-7cd4-8b65-d4ea30950c00', 1, 1, 1, 1795527465915, 1795527465917, 'delivered', 204, '', ''),
	('01a20dc6-dd0f-7114-bebf-765f1d07178f', 1, 1, 1, 1795527466303, 1795527466304, 'delivered', 204, '', ''),
	('01a20dc6-dd0f-7112-9950-907f21bcf15c', 1, 1, 1, 1795527466303, 1795527466304, 'delivered', 204, '', ''),
	('01a20dc6-dd0f-7115-af00-30fd50010616', 1, 1, 1, 1795527466303, 1795527466304, 'delivered', 204, '', ''),
	('01a20dc6-dd67-760c-8545-0076caddcf67', 1, 1, 1, 1795527466413, 1795527466414, 'delivered', 204, '', ''),
	('01a20dc6-dd67-760e-aec4-303f8e9a9c4d', 1, 1, 1, 1795527466413, 1795527466414, 'delivered', 204, '', ''),
	('01a20dc6-dd67-760f-a977-240958dd01db', 1, 1, 1, 1795527466413, 1795527466414, 'delivered', 204, '', '');

INSERT INTO public.difference VALUES
	('UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'missing', '[]', 1795527373908),
	('4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'locked', '[]', 1795527373981),
	('BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'changed', '["clientName"]', 1795527373993);

INSERT INTO public.endpoint VALUES
	('01a20dc5-5e64-744d-9e36-9d3b2ccd6dc0', 'ok', 'http://127.0.0.1:18476/ok', '', '["*"]', '["*"]', '', 'v1', true, '', 0, 'dump:OX9XpQqox-F1f1RoYDplz1QNv5MUWM6HHBtl8cBaig0a5IDjA6s-dDB25rzNu-P8QtWQAzZA5dROefeBORa37ikvSpgESWfNJr5LmQQHnpgcAhWavYnd9s2CtJ0_pYlLZcSmChs6305lzbXN5_CQ329H4hyWXeO1BpTvbSJuYSBCwAekwQP_qWVHL57G8FSXasBH8nQU0vlRMXhrrI5MO4qeMRirnahOpJMt7A', '8mQ=', 'whpk_jT6/BCUvVjJveLiB6b6fRi3taGXK8QrXgd4FMgIb0Sc=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527368292, 1795527368292, 1),
	('01a20dc5-5e79-7d02-ae39-337c590bea93', 'v1a', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'v1a', true, '', 0, 'dump:Z97ZENNa0ATPuSIKyenJqRgJOtF3V7ushPM_NtnW8p8rl_K7IrBLHINiOF2gtPe4o85EEyRaYWBGcYeYr6VeH-u-dbq402UB6CCCW-c1alopejaY2VfCtfwd-SDhCD-RM_1I_ct-WfZi7LC2BCL59fmGuXLxZLijIkUQO8nKG3e-ZIX7kHaM-1HQhD9p_rk4tnznvTnF_VC1aNrNgMMVkDensdfiGd4nDuzuEQ', 'mlk=', 'whpk_zn+tKvkGwdxp4a2T+dr62m5rTh2WSv9MngZdWXMHMP4=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527368314, 1795527368314, 1),
	('01a20dc5-5e81-7b00-ad6d-2484df616f7b', 'both', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'both', true, '', 0, 'dump:ku57VOcEMSuPRTAHMFgl0gvBqZJK9J4pMsKSqhGH75ZmZmAYgB6n-DVhJ1OU3EqECjN9fiKz2BbQfELnL5H0-foNNGhvZ-rJeuFjOB3YqSrZlBH8kbSVmBlYTJ4QZ-Rh7nr7hv51z5_NwUjFZ7iRDgD3UEpAwjlv1XpdtlETnnp1WwrbmeWoMoUhWfgiD-3yMOWcuyHcr-DcpvAo8eRHTYkxFU3JRTmXbyC40Q', 'zSs=', 'whpk_UOsb24LUxeljQSNi63QRIP3Eq9v6DljtRy/JNo5Ug7k=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527368335, 1795527368335, 1),
	('01a20dc5-5e48-77af-bbe6-fe745845f740', 'slow', 'http://127.0.0.1:18476/slow', '', '["client.deactivated"]', '["*"]', '', 'v1', true, '', 0, 'dump:K-8rywOX5D9fkAVhv2Q_MDyb55CBixLT4HIqhM-PhVVDzMp52pWPxGKr1eFXkiwZnFjSzyxPXMY5aEIKbQDSJyAJtSyRgWyMKWw53oCDletvu2vxtph8QjAjlxeE3y5Ylq5tHh0tMstwcP5owBlPWN7tI06Z6aJUyy60IWFaGxF3WfbrJkOEdHPjPRXTzzedYZ-s1vHngR-xfSshJu-IoAOlhWd2z86ksK3jMg', '2fM=', 'whpk_6brr5UU6efKiAOdDo6ub/NLmiKIv6MD8DIobBMnKGYk=', '', '', '', 0, 3, 1795527379519, 0, '{"id":"ada"}', 1795527368269, 1795527368269, 1),
	('01a20dc5-5e15-768f-a96b-58ca85dfc40d', 'gone', 'http://127.0.0.1:18476/gone', '', '["client.activated"]', '["*"]', '', 'v1', false, 'gone', 1795527369012, 'dump:t0uUjhzTcqMfjH29zVMm4Y1GZ-O9KVlXZE6fd6D4X0T7ektbLPxLWkbEU5DrxICVZ6r35VCvEg83rPpxUjpwH4F2Fm4wfFyAtub7Mb7Ddau8WjPz5Sj-OYYBR-C5kvuVGgCPZI7YC1N1YKYwVvRKCTbJJahWTbh30WWm0Tbt-kSajpNfMFwdzgo_RK_ha3LR2sR1JV36VCVjbMpNg5AbNCurFNb-MnYHG6laiA', 'aGs=', 'whpk_QwZ5sobJ8aI6NF7hQyk4WtOYHqDX4zfUTpx9vDsVzL4=', '', '', '', 0, 1, 1795527369012, 0, '{"id":"ada"}', 1795527368219, 1795527369012, 2),
	('01a20dc5-5dbd-717b-8f88-cf4f09662645', 'busy', 'http://127.0.0.1:18476/busy', '', '["client.*"]', '["*"]', '', 'v1', false, 'admin', 1795527465671, 'dump:ZnNu-EDxDHBKpigASoY49jKR8l-zBkE_rAqvh573JoJlnrkKi70656WeiZ8teV--PuuVoGsAlfhJ35KtAI-OqxKSCSHF6HCQazBwYGyrWudOAxDF8YC8ZAlmWuroL3_hwFE7k4YaqbHKWtZBuet-VOvVgO7Ej18KbyIP4-kXwTwACAkT1B2QARHIPhB3HggGB6Y4WcC6I48kFj3FPhhLlAP1KWD39FIg1yDiSA', '9gY=', 'whpk_WF0RXglhfMUUX6jnflcma4AG9Bjm+p8VelcWrv/U7o4=', '', '', '', 0, 7, 1795527368932, 1795527579860, '{"id":"ada"}', 1795527368138, 1795527465671, 2);

INSERT INTO public.goose_db_version VALUES
	(1, 0, true, '2026-11-24 13:36:06.486102'),
	(2, 1, true, '2026-11-24 13:36:06.703931');

INSERT INTO public.idp_call VALUES
	('p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'update', '{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 2, 1795527735287, '', false, false, ''),
	('a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'update', '{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 0, 1795531046502, '', true, false, ''),
	('7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo', 'register', '{}', 'vera', 1, 1795527526126, '', true, false, ''),
	('UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'read', '{}', 'system:import', 1, 1795527526940, 'PCJEW7POEUUQPKN3FFOGDA2OXK', true, false, ''),
	('OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc', 'remove', '{}', 'vera', 2, 1795527735557, '', true, false, '');

INSERT INTO public.initial_token VALUES
	('33e767ebde5841e52a48d3a0c6a63f045cc499dcfb3d43087bbd93eac4bf1b8b', 'bank', 'free', 2, 1795613771018, 'ada'),
	('dfe3cd9e0109514a4924a3943dd2ea01e8e0c4abdab306aac162ce0e5e5267a3', 'bank', 'free', 4, 1795613771059, 'ada');

INSERT INTO public.message VALUES
	('01a20dc5-600f-788e-86a3-02fd598dfddc', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:08.690Z","data":{"eventId":"01a20dc5-600f-788e-86a3-02fd598dfddc","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-60b3-77d3-ac31-eb056936039d', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:08.802Z","data":{"eventId":"01a20dc5-60b3-77d3-ac31-eb056936039d","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98","providerClientId":"assigned-ZWGYDRUNZ6H3SNLGU6IDGNB5IS","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-60dc-7d80-8f89-d11ac5a471df', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:08.919Z","data":{"eventId":"01a20dc5-60dc-7d80-8f89-d11ac5a471df","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-61ad-75e2-b9ab-271fb53129c5', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:09.031Z","data":{"eventId":"01a20dc5-61ad-75e2-b9ab-271fb53129c5","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U","providerClientId":"assigned-2Y7YEYKKFYZOY25O72GSHPN4RR","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-628b-7da4-96e0-9e91f2fb08e1', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:36:09.328Z","data":{"eventId":"01a20dc5-628b-7da4-96e0-9e91f2fb08e1","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U","providerClientId":"assigned-2Y7YEYKKFYZOY25O72GSHPN4RR","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20dc5-62ab-7be7-92b8-f1ae64fdf039', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:09.387Z","data":{"eventId":"01a20dc5-62ab-7be7-92b8-f1ae64fdf039","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6304-74bd-893b-5f1d38e191f3', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:09.402Z","data":{"eventId":"01a20dc5-6304-74bd-893b-5f1d38e191f3","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng","providerClientId":"assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6378-7e55-8f43-3c3b6bf50fea', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:36:09.510Z","data":{"eventId":"01a20dc5-6378-7e55-8f43-3c3b6bf50fea","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng","providerClientId":"assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}', ''),
	('01a20dc5-63d0-7cd3-acb9-6fa795a30533', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:09.675Z","data":{"eventId":"01a20dc5-63d0-7cd3-acb9-6fa795a30533","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6415-7a11-b4d9-375b33d3df1f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:09.713Z","data":{"eventId":"01a20dc5-6415-7a11-b4d9-375b33d3df1f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI","providerClientId":"assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-64d0-79c6-b55f-626ede078478', '', '{"type":"client.updated","timestamp":"2026-11-24T13:36:09.876Z","data":{"eventId":"01a20dc5-64d0-79c6-b55f-626ede078478","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI","providerClientId":"assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}', ''),
	('01a20dc5-64e1-751e-8906-d62efcc0325e', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:09.953Z","data":{"eventId":"01a20dc5-64e1-751e-8906-d62efcc0325e","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6540-7821-9b85-72ad17926a93', '', '{"type":"client.failed","timestamp":"2026-11-24T13:36:10.014Z","data":{"eventId":"01a20dc5-6540-7821-9b85-72ad17926a93","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"xVisRP1dwV4TTN0gFX4JYJ10d4-vMGIJDD0qXq7mtc0","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}', ''),
	('01a20dc5-6568-7d83-852e-048a49592895', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:10.086Z","data":{"eventId":"01a20dc5-6568-7d83-852e-048a49592895","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-65c5-736f-ac1f-9d118a0f3ea4', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:10.123Z","data":{"eventId":"01a20dc5-65c5-736f-ac1f-9d118a0f3ea4","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-QHEIO36TGY2TQEKRZPLCMXPZLZ","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-675b-7388-8558-ad4eda85f82a', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:10.586Z","data":{"eventId":"01a20dc5-675b-7388-8558-ad4eda85f82a","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:10.630Z","data":{"eventId":"01a20dc5-67bc-7cfd-9fd3-1a352e8a72d5","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg","providerClientId":"assigned-JJPPCHHA6LTUJNANSAA75FEDJW","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6838-7259-830a-39c906430fe6', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:10.807Z","data":{"eventId":"01a20dc5-6838-7259-830a-39c906430fe6","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6885-7e79-bb2c-2be6dfedee41', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:10.833Z","data":{"eventId":"01a20dc5-6885-7e79-bb2c-2be6dfedee41","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI","providerClientId":"assigned-EQ7XHRY4W6QYGXHGQUPIZXR327","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-697c-71e0-8ece-c132aaf0416e', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:11.131Z","data":{"eventId":"01a20dc5-697c-71e0-8ece-c132aaf0416e","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:dfe3cd9e0109514a"}}', ''),
	('01a20dc5-69c4-7eb9-bdaa-1ce1025bed54', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:11.164Z","data":{"eventId":"01a20dc5-69c4-7eb9-bdaa-1ce1025bed54","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c","providerClientId":"assigned-6OKSK6NAPYNQZI2RMPSPO4FOD7","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:dfe3cd9e0109514a"}}', ''),
	('01a20dc5-6a60-7a0f-a269-d5cd42067613', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:11.225Z","data":{"eventId":"01a20dc5-6a60-7a0f-a269-d5cd42067613","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6c34-78f4-b3af-3c2044c547df', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:11.795Z","data":{"eventId":"01a20dc5-6c34-78f4-b3af-3c2044c547df","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6ce6-7c14-870b-215106c86ca2', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:11.967Z","data":{"eventId":"01a20dc5-6ce6-7c14-870b-215106c86ca2","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4","providerClientId":"assigned-E5EXXDUFAFMTPNIRGNFWITJAOY","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}', ''),
	('01a20dc5-6e27-7722-b1a4-c32acd3a912b', '', '{"type":"client.failed","timestamp":"2026-11-24T13:36:12.262Z","data":{"eventId":"01a20dc5-6e27-7722-b1a4-c32acd3a912b","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"p6pfz3OPNCZWvgdAGbB-6jo8Vx3N13WbeNZxRe2yuyo","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}', ''),
	('01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:10.198Z","data":{"eventId":"01a20dc5-65d6-7c2c-8d6f-1bc805eaff6b","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"OqigjCHJCPM4OIkLB8pfCE8-H6Iv71ZjTcOQ0s5I_wc","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6da0-7277-8168-8d493fde6191', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:12.151Z","data":{"eventId":"01a20dc5-6da0-7277-8168-8d493fde6191","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-6eeb-72cf-a72c-19de1a4d7522', '', '{"type":"client.failed","timestamp":"2026-11-24T13:36:12.395Z","data":{"eventId":"01a20dc5-6eeb-72cf-a72c-19de1a4d7522","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"AAds7PSmwvQPdcG6rNeEX5C6MiywQ8Dczw0DysBGYD0","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-714a-74b7-8e89-87cc9cd4f0da', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:13.126Z","data":{"eventId":"01a20dc5-714a-74b7-8e89-87cc9cd4f0da","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-71ba-78a4-b408-754de20b1dbb', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:13.183Z","data":{"eventId":"01a20dc5-71ba-78a4-b408-754de20b1dbb","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4","providerClientId":"assigned-IXO4W6VOPQH4SIDJ3KBC4RAAU3","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-71d0-744c-8437-292a45a4e9ee', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:13.254Z","data":{"eventId":"01a20dc5-71d0-744c-8437-292a45a4e9ee","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-7215-70f7-8cbc-1938d398c0a7', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:13.296Z","data":{"eventId":"01a20dc5-7215-70f7-8cbc-1938d398c0a7","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A","providerClientId":"assigned-SY7WDQW55AJ6NUX4F2MLXML7FA","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-8b28-785a-b0fc-7e94ab8e1e09', '', '{"type":"client.registered","timestamp":"2026-11-24T13:37:25.288Z","data":{"eventId":"01a20dc6-8b28-785a-b0fc-7e94ab8e1e09","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-8b33-765f-8d10-cec6f7a3e59b', '', '{"type":"client.activated","timestamp":"2026-11-24T13:37:25.294Z","data":{"eventId":"01a20dc6-8b33-765f-8d10-cec6f7a3e59b","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q","providerClientId":"assigned-ZLWLQECKCELEUJRMI3XA725QZY","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-8b97-7b09-a293-9f2b9105e51e', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:37:25.386Z","data":{"eventId":"01a20dc6-8b97-7b09-a293-9f2b9105e51e","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q","providerClientId":"assigned-ZLWLQECKCELEUJRMI3XA725QZY","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20dc5-6f20-761e-9d86-3a3d6d9ba443', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:12.549Z","data":{"eventId":"01a20dc5-6f20-761e-9d86-3a3d6d9ba443","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-70eb-7155-8e7b-3036c2c50d7b', '', '{"type":"client.registered","timestamp":"2026-11-24T13:36:13.029Z","data":{"eventId":"01a20dc5-70eb-7155-8e7b-3036c2c50d7b","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc5-7123-7dfe-89da-ea34f5afb199', '', '{"type":"client.activated","timestamp":"2026-11-24T13:36:13.048Z","data":{"eventId":"01a20dc5-7123-7dfe-89da-ea34f5afb199","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw","providerClientId":"assigned-5WPBDIJI3J7DWCKLK7IZSIRV6K","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-db1a-7c6d-affa-1db857c4951c', '', '{"type":"client.registered","timestamp":"2026-11-24T13:37:45.743Z","data":{"eventId":"01a20dc6-db1a-7c6d-affa-1db857c4951c","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"7DC26TGYYJrbcTAvz3N_wcKeXxaQI-IBtqhpwHvr2Qo","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-dd0f-707c-b6fc-62c3a1512b4f', '', '{"type":"client.registered","timestamp":"2026-11-24T13:37:46.189Z","data":{"eventId":"01a20dc6-dd0f-707c-b6fc-62c3a1512b4f","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"UIkzW1lZLro_J2hWMSc2FASZDF96kKHblaFXGwq2NJ4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dc6-dd67-7565-a387-55c4239018c6', '', '{"type":"client.failed","timestamp":"2026-11-24T13:37:46.266Z","data":{"eventId":"01a20dc6-dd67-7565-a387-55c4239018c6","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"Sskuj6x714jOzlTAAEd6IYIHSLGGbszwH8Jr6uPDbNM","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', '');

INSERT INTO public.outbox VALUES
	('01a20dc6-8b97-7b77-b989-b598e41046fc', '01a20dc5-5e48-77af-bbe6-fe745845f740', 1795527521925, 1, 1, '', 0),
	('01a20dc5-628b-7e2c-af6c-6ca476f15e88', '01a20dc5-5e48-77af-bbe6-fe745845f740', 1795527445239, 1, 3, '01a20dc6-8eb7-737f-b53e-74bcd5231847', 1795527465640),
	('01a20dc5-6378-7f00-b731-f060ca9029b6', '01a20dc5-5e48-77af-bbe6-fe745845f740', 1795527445061, 1, 3, '01a20dc6-8eb7-737f-b53e-74bcd5231847', 1795527465640);

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
	('01a20dc6-8eb7-737f-b53e-74bcd5231847', 'vm', 'dev', 1795527446210, 1795527466483),
	('01a20dc5-5c18-7bf9-ab92-950faaca6498', 'vm', 'dev', 1795527367726, 1795527444573);

INSERT INTO public.provider_record VALUES
	('HbW-_RIty1CXwp3kxM2E-s0GvthRfWwR1mF1bhFro98', 'assigned-ZWGYDRUNZ6H3SNLGU6IDGNB5IS', 'http://127.0.0.1:18476/register/assigned-ZWGYDRUNZ6H3SNLGU6IDGNB5IS', 'dump:_Pj3MxIYBIDg703WFPFs7mtnMwkmI1KlkdS4oO5yDKldu9hcg07ZE6QOD_OvV13A9LuRnk9dJ4BMAXf8g4ihXXIoJf-1'),
	('hxJ_DqZZMq3DdGOkGl2T28wwkBQ4k7Kf_PRsJT3gn6U', 'assigned-2Y7YEYKKFYZOY25O72GSHPN4RR', 'http://127.0.0.1:18476/register/assigned-2Y7YEYKKFYZOY25O72GSHPN4RR', 'dump:MYAicUtCcwkdvl4kDKr70afV_o5AJiZkBDYh_VSN9eVLVrq99MoY5veX3qnzgJZt1FSh62cjPne1xr92MHsgHsiW7AZi'),
	('F-hgumgQcUz7lVpmU3WH852y-QlU3h9kZ3vBmWMi5Ng', 'assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW', 'http://127.0.0.1:18476/register/assigned-CSJYLHCE3MPVT7MI6N3ILJ4FMW', 'dump:sPUmMX9TX1Yws88HllFvU_NpKvzaQpPnDN6ZwNR5G1MgSQbt_uDj9BB48j3D-04rPiz7xMzeC-bAPKnL8juS0WunRDGB'),
	('c0QOW0HTVsgt8HO9FiRuRM0vcOGcYvGFxBcdZY747MI', 'assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA', 'http://127.0.0.1:18476/register/assigned-KQTDL3SOGLVQQ7Q4JEAXDCBXMA', 'dump:FGGGL_Vx9Fq0lEEMAoePNaVGyRlgejlslUgBwRByEhXMZnO-7zKb1MBC2g-cyCN5Cz-hNxwoCoS2kHVHH2ujJEtlvyv7'),
	('of-the-provider', 'assigned-QHEIO36TGY2TQEKRZPLCMXPZLZ', 'http://127.0.0.1:18476/register/assigned-QHEIO36TGY2TQEKRZPLCMXPZLZ', 'dump:GOa746k4aaCG5F-z55zrXEF5osiOStiDSK50Hr8ULyOAXvhyrhFXbEoZpzQ9ewfMi9xEVIk45nAVS0Yul_9QqdNbrOBR'),
	('yyZDLHaS6P9ylbz42atTYwY2BynL5aL16rVg9oUQhDg', 'assigned-JJPPCHHA6LTUJNANSAA75FEDJW', 'http://127.0.0.1:18476/register/assigned-JJPPCHHA6LTUJNANSAA75FEDJW', 'dump:2xe3yTjw0N220cg3B2FKgeLCcVOW3MzJYUaub33TDBSdKV8povv1-GfvpRQmHK1U1tpJ69Mxoq-Yt1D-esPf1LENpEmT'),
	('a0Shk0U2FUUxbO7mVPRxHJVbCu9zSYrCbxJWisMHrHI', 'assigned-EQ7XHRY4W6QYGXHGQUPIZXR327', 'http://127.0.0.1:18476/register/assigned-EQ7XHRY4W6QYGXHGQUPIZXR327', 'dump:QKt894Mt3nB3vDD0k7vRz3EiVACZYE7AUxqaklP7lyAAyBN9sSrw7dR70SHYKH80vW-gZ78Z2eHNdv9uK3kyMHs7ZcVj'),
	('DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c', 'assigned-6OKSK6NAPYNQZI2RMPSPO4FOD7', 'http://127.0.0.1:18476/register/assigned-6OKSK6NAPYNQZI2RMPSPO4FOD7', 'dump:8McP0xuCUtUGNZJZGMn-uF_4-TuoWxu1JZ5RGOKNGCvqXVZM7fcs4TKqR38DuEqJYGLmbjUa4FF5F7ZdqkKsIOhp3mUZ'),
	('cL4uqXEAPUFF0m0R0Brx6-ccXTxhlxx7jNjPRBSGbZ4', 'assigned-E5EXXDUFAFMTPNIRGNFWITJAOY', 'http://127.0.0.1:18476/register/assigned-E5EXXDUFAFMTPNIRGNFWITJAOY', 'dump:Y6IYowJDtreEMAlq2Rf4NEEiAmmWBbrS_Zt8KmxrhAvrlj-3FS9HHQW1XzS8vCZ1zljE89pMptSQxHhpChQyGlBjUygM'),
	('BRn1gfpclssAAXIV3n_nBA1JvlNV4e9UUaOrWoABYNw', 'assigned-5WPBDIJI3J7DWCKLK7IZSIRV6K', 'http://127.0.0.1:18476/register/assigned-5WPBDIJI3J7DWCKLK7IZSIRV6K', 'dump:DZWUYgdpTBqeZNgeiu7GCGmz3w2ydjPuIB6qmS9iIxzQqAQ_cNDiN14zBiewjhhAjwi_78iiEvwAiQfJgjB6987B5_du'),
	('4ULbVG9GtKXNltNH77zaMLvzKzaQCB-SmgVt2J6Okn4', 'assigned-IXO4W6VOPQH4SIDJ3KBC4RAAU3', 'http://127.0.0.1:18476/register/assigned-IXO4W6VOPQH4SIDJ3KBC4RAAU3', 'dump:DiRwQbv0azzMabyE0Or51djdUv9ukjLPlplLP5DCK1GN8L0_0PRbDcnpIU5tr32AZSoFWlMC-NcOY_SiYUUNUzizlfdx'),
	('UxKmrUh648xMPzJOVNkgqt0AyUob2igosa_TOpNAu3A', 'assigned-SY7WDQW55AJ6NUX4F2MLXML7FA', 'http://127.0.0.1:18476/register/assigned-SY7WDQW55AJ6NUX4F2MLXML7FA', 'dump:7YOfWaAmgTjftTsSdIkWYNOIlWAGPWNhkaicuwH7wKmOyTNITPxJNfmoPv4TWiMgBGXokqLxSp2iSX3_HFeeW2gq-7uz'),
	('4FaTNE9zPeFZ4Rj7z1hkt14d7x2xpaSRX9axy2vQP6Q', 'assigned-ZLWLQECKCELEUJRMI3XA725QZY', 'http://127.0.0.1:18476/register/assigned-ZLWLQECKCELEUJRMI3XA725QZY', 'dump:hqiCOvCH8C3gQXwkVQJNO8SRqvJJv4xsgKFAO735YY7Pmvv0iTBhn3m56zqdx3D0n2WtEB6bGBO7XhZA2BXefQfhEguA');

INSERT INTO public.reconciliation VALUES
	('provider', '', 1795527374114, 1795527374114);

INSERT INTO public.registration_token VALUES
	('b2e934f8aa77ec9459fce5f4e6840c2ff49d8b367c1b17cd5499e8ad0b5209d4', 'DFKRQm2Q9xQ2qjFLDFp-XkXvjkDqgAgNNsi6p8F7k-c');

INSERT INTO public.service_key VALUES
	('cursor', 'Ln+dTsJJKP4+lW0ZOLEt/hoklUm8eHsKxbfEJikJbrU=');

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
    ADD CONSTRAINT delivery_attempt_number UNIQUE (delivery_id, cycle, number);

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

CREATE INDEX client_event_of_client ON public.client_event USING btree (client_id, seq);

CREATE INDEX client_event_purged ON public.client_event USING btree (purged_last_seq) WHERE (type = 'purged'::text);

CREATE INDEX client_event_refused ON public.client_event USING btree (client_id, reason, at_ms) WHERE (type = 'refused'::text);

CREATE INDEX client_key_of_client ON public.client_key USING btree (client_id);

CREATE INDEX client_outcome_unknown ON public.client USING btree (id) WHERE outcome_unknown;

CREATE INDEX delivery_client ON public.delivery USING btree (client_id, created_ms, id);

CREATE INDEX delivery_created ON public.delivery USING btree (created_ms, id);

CREATE INDEX delivery_endpoint ON public.delivery USING btree (endpoint, created_ms, id);

CREATE INDEX delivery_rare_status ON public.delivery USING btree (rare_status, created_ms, id) WHERE (rare_status IS NOT NULL);

CREATE INDEX idp_call_due ON public.idp_call USING btree (due_ms);

CREATE INDEX outbox_due ON public.outbox USING btree (concurrency_group, next_attempt_ms, id);

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

