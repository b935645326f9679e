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
	('ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 1, 'granted', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dce-0f37-720f-8783-e15aefc9a538', 'sha256:46a31f7d577d0996bc6a77a7f2b1389a0aec02e991fe722dbcf14b3cb63793de', '', 1795527937771, 1795527998042, 2),
	('lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 1, 'denied', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dce-0ff7-7be7-b9ae-8ab9d4a48b36', 'sha256:cb7a4f59fb349c6ae11fae6d77c30f35c3a7bceb5039ed2af33a844b8d8b619c', 'The decision of fay', 1795527938006, 1795527998295, 2),
	('18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 1, 'withdrawn', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dce-1101-7706-854f-d6989789e61a', 'sha256:4f7783bc89b5e82c95bb34e68cb16d840baed40e2fded0935be9856c63dac261', '', 1795527938245, 1795527998503, 2),
	('xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 1, 'withdrawing', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '01a20dce-1200-736f-af17-09fc7fecf9b5', 'sha256:bde5170c66ed775d6ca5ff55f8a6e554de14a46d471ee1a29af276995ab52d07', '', 1795527938461, 1795528047206, 1),
	('ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 2, 'waiting', 'update', '{"Name":"ok","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/new"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'oidc-client', 'vera', 'Change the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"update","changed":["redirectUris"],"clientAuthMethods":["private_key_jwt"],"clientId":"ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/new"],"revision":2,"userClaims":["name"]}', '01a20dce-1284-7d0d-ac97-18be8f08440d', 'sha256:f0994d4307bee02b75e826d47e046fb15af10dd7788be1d0a66d1342a0d81010', '', 1795527938635, 1795528238714, 1),
	('qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 1, 'asking', 'register', '{}', 'oidc-client', 'vera', 'Register the client ok', '{"api":"partner","authContextRefs":["mosip:idp:acr:generated-code"],"change":"register","changed":[],"clientAuthMethods":["private_key_jwt"],"clientId":"qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4","extensions":{"Names":null,"Config":"","EncKey":""},"grantTypes":["authorization_code"],"keys":["qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4"],"logoUri":"https://client.example.org/logo.png","name":"ok","partnerId":"bank","policyId":"reviewed","redirectUris":["https://client.example.org/callback"],"revision":1,"userClaims":["name"]}', '', '', '', 1795528047172, 1795528107202, 1);

INSERT INTO public.catalog_event OVERRIDING SYSTEM VALUE VALUES
	(1, 'demo-partner', '', 'created', 'system:catalog', 1795527935727, '[]', '', ''),
	(2, '', 'demo-policy', 'created', 'system:catalog', 1795527935727, '[]', '', ''),
	(3, 'demo-partner', 'demo-policy', 'approved', 'system:catalog', 1795527935727, '[]', '', ''),
	(4, '', 'free', 'created', 'ada', 1795527936046, '[]', 'MNBSJP56QG2RXGVCZGDKLFL2QW', ''),
	(5, '', 'reviewed', 'created', 'ada', 1795527936051, '[]', 'JLWTFETHCJZDOLIRHG2Q6OIAVF', ''),
	(6, '', 'old', 'created', 'ada', 1795527936060, '[]', 'KL6X46TFGVQAYT7UCFZNAP5NNI', ''),
	(7, 'bank', '', 'created', 'ada', 1795527936072, '[]', 'WME3ZYSKOD56PET5FF3CESIVO4', ''),
	(8, 'bank', 'free', 'approved', 'ada', 1795527936076, '[]', 'D7ZTGG7LAET6CFW2ZGI6KYBB2G', ''),
	(9, 'bank', 'reviewed', 'approved', 'ada', 1795527936084, '[]', 'LSKVPLNO3EG6SUP4NYEDR6DDPA', ''),
	(10, 'bank', 'old', 'approved', 'ada', 1795527936107, '[]', 'DCGN3E44I2YL72M7VMA5V22PQZ', ''),
	(11, 'shop', '', 'created', 'ada', 1795527936139, '[]', '6DO4UANOZ4Z6E5DAHC75IQXV4W', ''),
	(12, 'shop', 'free', 'approved', 'ada', 1795527936150, '[]', 'CHJF6QKOTYE6NT7RETB2PCCJEQ', ''),
	(13, 'shop', 'reviewed', 'approved', 'ada', 1795527936151, '[]', '472A46Q37ZIWKXKNTZGOHAUFHZ', ''),
	(14, 'shop', 'old', 'approved', 'ada', 1795527936153, '[]', 'IWMVWAHMQ4NWP7Z4WCDVCCJIN3', ''),
	(15, 'bank', 'old', 'revoked', 'ada', 1795527936154, '[]', '5RPVE7QV7ILRFPRAPWBZKJ2W5O', '');

INSERT INTO public.client VALUES
	('0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 'partner', 'ok', 'bank', 'free', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', '{"crv":"P-256","kid":"0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI","kty":"EC","x":"QFxRjoTn3XeI2XN18JdAEYa9CyTtsbivFTLYyz4XX_w","y":"KQ4AAir6eHZn3SgeAzlsw3wlKVO1sK0I6Z4Eoqk9kzc"}', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-53ODIYWGWAGJQH35VTIIXZ3R45', false, '', '', '', 'vera', 1795527936179, 1795527936267, 2),
	('9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 'partner', 'ok', 'bank', 'free', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', '{"crv":"P-256","kid":"9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04","kty":"EC","x":"IP8cvO9-aGfcCbnA9emqr3L7G1IpCR0dtihQtAtv_7g","y":"KoBrs5sHqIuHckBBLH_UEJOitCJljZvuCpSipuhz4ZQ"}', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-PBMGGZNRLOX33INKHENV3DLC2S', false, '', '', '', 'vera', 1795527936355, 1795527936553, 3),
	('of-the-provider', 'provider', 'ok', 'bank', '', '9LGtbd7omwqnvpoiVl3dt5iO6-o5sbDGOhj980FYrJI', '{"crv":"P-256","kid":"9LGtbd7omwqnvpoiVl3dt5iO6-o5sbDGOhj980FYrJI","kty":"EC","x":"ML4KkT53JXIE-V9QHyuOZD02fgEVnMfiAP-xn6GHncs","y":"9TGxO5RZf4FlDkKzoSpU1m5h_m7qbSftm-HANOO1vqs"}', '9LGtbd7omwqnvpoiVl3dt5iO6-o5sbDGOhj980FYrJI', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-WWN27RPRYAEUGLJ7G5WKB5QSYA', false, '', '', '', 'vera', 1795527937009, 1795527937045, 2),
	('mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'partner', 'ok', 'bank', 'free', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', '{"crv":"P-256","kid":"mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac","kty":"EC","x":"8KULZue4mW0fEVhnYwfFiE3HEAATzaud-8t3mqcb11A","y":"1CJ20cp5dLfLN5Nei3xoHch18Bf7U2p1i94TtUGATps"}', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ', false, '', '', '', 'vera', 1795527936613, 1795527936669, 3),
	('hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 'partner', 'down', 'bank', 'free', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', '{"crv":"P-256","kid":"hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I","kty":"EC","x":"K42Bp7yXLx5-mcg5laWmEI1Rp2UrFifRMvpWGl2rVZg","y":"dbBztqQ_lzKIurlD3CRXPFltfo0-PQWFOJ8kSuWkaSc"}', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795527937073, 1795527937073, 1),
	('4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 'partner', 'ok', 'bank', 'free', 'ujexZpcP2hVtguF1zSYKPhae7q5KDnHOBbasn1BT2wM', '{"crv":"P-256","kid":"ujexZpcP2hVtguF1zSYKPhae7q5KDnHOBbasn1BT2wM","kty":"EC","x":"Ie4_l_Jxhc6IUak26KD9iJNXlC2deAd0bNJKGJb9r14","y":"NoDayfZjPm_P3TOCjLL_8pXmoW7SdkpUrHMCsq-rhb4"}', 'ujexZpcP2hVtguF1zSYKPhae7q5KDnHOBbasn1BT2wM', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', '{"crv":"P-256","kid":"4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk","kty":"EC","x":"xX7aJXiJUlRwxZKurnvlEySP4_yYN4Xd5s-VC6yckMA","y":"re9Lh141KUvD4kAEiCMYI5ORJH1ZXFU3tDNfgb0eC3o"}', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG', false, '', '', '', 'vera', 1795527936764, 1795527936910, 3),
	('6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 'partner', 'ok', 'bank', 'free', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', '{"crv":"P-256","kid":"6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk","kty":"EC","x":"6wyGrlL9LlT_isuwa9VO7wlbrhhpO2O9RwN4trgp5oQ","y":"3gjbdwMyqwtQQFDOHE-rGlmoD4K47g9jGLuH8VdGVEM"}', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-43VPGAO32PVJYB3LBCY7ZPUL4L', false, '', '', '', 'vera', 1795527937473, 1795527937530, 2),
	('2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'partner', 'ok', 'bank', 'free', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', '{"crv":"P-256","kid":"2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0","kty":"EC","x":"aT4xf9xQsiZwxcxiyn-Qg3iAdY1Dpg14S15VnD6jTLE","y":"OsvnQNAb-Rczmfr56jSda_eB0_M__OAsH_2DqBaGtEo"}', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-FDZUZM56THRJRGUWZBBLNTLKKF', true, '', '', '', 'vera', 1795527937623, 1795527937719, 3),
	('iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 'partner', 'ok', 'bank', 'free', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', '{"crv":"P-256","kid":"iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU","kty":"EC","x":"fSWAa6MmUZ1kW4AtyOiEY1A-BCDvmTBVYGnvXfT8SQs","y":"vZRXd8WR7GM0xO5WsO9YTI3v4F4muvPJpjpztQ7kDzE"}', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-5J7S4FVQF5P5GYHCRR5YFUC322', false, '', '', '', 'initial access token:d921c2b1fbd87352', 1795527937754, 1795527937758, 2),
	('ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'partner', 'ok', 'bank', 'reviewed', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', '{"crv":"P-256","kid":"ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko","kty":"EC","x":"5aIz5OxFs8nztx3pd1AcY3Cz8MnpUrva9x0WwX_AO7k","y":"IIof3U_jW45y-a67hJejQU3-s2Ag8vIPeYBU5HRyk98"}', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-VKUWLYNN465NQ2HJQZWL4C46AG', false, '', '', '', 'vera', 1795527937771, 1795527938212, 2),
	('rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'partner', 'ok', 'bank', 'free', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', '{"crv":"P-256","kid":"rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA","kty":"EC","x":"QjSE1JIXIzlBZHA_KDpXCapCQYzqohVPZtyvjdn6D5A","y":"cwbF6gSh5qheUuyNhk5UmD_0qYN0rt99qoSVF3PFg8M"}', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-KDDO4B5PQRPARZLLBAUVQWLQZP', false, '', '', '', 'vera', 1795527938694, 1795527938737, 2),
	('lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'partner', 'ok', 'bank', 'reviewed', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', '{"crv":"P-256","kid":"lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E","kty":"EC","x":"K-JvQ7uSRjS36o29vSIVqvZHIIiz9OTxz84XmVv2218","y":"3mA7np0VETF6IHY-REGC8qJZeCacu_3z5aPS0Ur5g5E"}', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'FAILED', false, '', false, 'not_approved', '', 'not approved: The decision of fay', 'vera', 1795527938006, 1795527938338, 2),
	('67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'partner', 'ok', 'bank', 'free', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', '{"crv":"P-256","kid":"67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo","kty":"EC","x":"sRjqQTTOu__d8f_4YT5hpOnNIkWQynfCTX4dnJz2sEY","y":"8cni4eXkutSLmrcpSQWe1AtxWDX-9YE6-MZLWyXKRW4"}', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-WAXHN5WUQUHMRHZVQJ5742HHQ4', false, '', '', '', 'vera', 1795527938778, 1795527938816, 2),
	('x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'partner', 'ok', 'bank', 'free', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', '{"crv":"P-256","kid":"x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0","kty":"EC","x":"grKQG1rGML8f7uIJN7lYSLYioNSPA_sZnkSUIsR8ZHo","y":"y8Te4_urP2nYm5kwNEss2dt_0_q46JXUytzc4Vqn94U"}', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'ACTIVE', false, 'assigned-JRXXRSBYCCHYOIQ4MEV6HFUI63', false, '', '', '', 'vera', 1795527938850, 1795527938879, 2),
	('gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'partner', 'ok', 'bank', 'free', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', '{"crv":"P-256","kid":"gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk","kty":"EC","x":"TC5j1StuV4YHFJcaNcOSmt0GGmwZgJNHd-m97eTZkq8","y":"s7szQOanPaMkVsoZzSEU9a8Q-ZT8z2DR9yVB7m0S-2M"}', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'INACTIVE', false, 'assigned-CELMXQG3P4JSUXT7USPDLJB57M', false, '', '', '', 'vera', 1795528026084, 1795528026321, 3),
	('T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 'partner', 'down', 'bank', 'free', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', '{"crv":"P-256","kid":"T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA","kty":"EC","x":"rSLNB5P0JBnDwO5vpQNDfKCLUG0lo93xMk2C9db_K0M","y":"WkNjToVygEftztVO103LrMW3Kz2Axnu8Fl-a3-iT9tU"}', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795528046812, 1795528046812, 1),
	('qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 'partner', 'ok', 'bank', 'reviewed', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', '{"crv":"P-256","kid":"qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4","kty":"EC","x":"9edz3kGOoXwW-do8ChF7AoifezS9ivIjBaRFusT3XMY","y":"vu6RJ7y-_Fi1CD_KYhtpTwAzj8vZO74naWrNW_0g0b0"}', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', '', '', '', '["name"]', '["mosip:idp:acr:generated-code"]', 'https://client.example.org/logo.png', '["https://client.example.org/callback"]', '["authorization_code"]', '["private_key_jwt"]', '{}', 'PENDING', false, '', false, '', '', '', 'vera', 1795528047172, 1795528047172, 1);

INSERT INTO public.client_event OVERRIDING SYSTEM VALUE VALUES
	(1, '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 'registered', 'vera', 1795527936179, '[]', '[]', '', '', '', '', '[]', 'O5BM23N3CHZF37SY3ZCH2CUKH6', '', 0, 0),
	(2, '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 'activated', 'vera', 1795527936267, '[]', '[]', '', '', 'assigned-53ODIYWGWAGJQH35VTIIXZ3R45', '', '[]', 'O5BM23N3CHZF37SY3ZCH2CUKH6', '', 0, 0),
	(3, '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 'registered', 'vera', 1795527936355, '[]', '[]', '', '', '', '', '[]', 'M4FCIQPXSW5PFSVMR5A3G2A2GK', '', 0, 0),
	(4, '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 'activated', 'vera', 1795527936404, '[]', '[]', '', '', 'assigned-PBMGGZNRLOX33INKHENV3DLC2S', '', '[]', 'M4FCIQPXSW5PFSVMR5A3G2A2GK', '', 0, 0),
	(5, '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 'updated', 'vera', 1795527936553, '["status"]', '[]', '', '', '', '', '[]', 'WGGPY2MARVTYFAPSN2EWW75WSP', '', 0, 0),
	(6, 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'registered', 'vera', 1795527936613, '[]', '[]', '', '', '', '', '[]', 'RC3H43H7FBWFJGGA7BEL2KJBL7', '', 0, 0),
	(7, 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'activated', 'vera', 1795527936659, '[]', '[]', '', '', 'assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ', '', '[]', 'RC3H43H7FBWFJGGA7BEL2KJBL7', '', 0, 0),
	(8, 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'updated', 'ada', 1795527936669, '["status"]', '[]', '', '', '', 'A leaked key', '[]', '7OH7LS4OFRHE7DSZVSUE4JRSU4', '', 0, 0),
	(9, '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 'registered', 'vera', 1795527936764, '[]', '[]', '', '', '', '', '[]', 'DASNMXPLE7S7M3DRNLEHKASRLP', '', 0, 0),
	(10, '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 'activated', 'vera', 1795527936815, '[]', '[]', '', '', 'assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG', '', '[]', 'DASNMXPLE7S7M3DRNLEHKASRLP', '', 0, 0),
	(11, '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 'updated', 'vera', 1795527936910, '["publicKey"]', '[]', '', '', '', '', '[]', 'EGPVRT5CHKWJYOEOSPQP34BIYW', '', 0, 0),
	(12, 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 'registered', 'vera', 1795527936945, '[]', '[]', '', '', '', '', '[]', 'O75MSY6ENRJIG22XCEPP3EVTAL', '', 0, 0),
	(13, 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 'refused', 'vera', 1795527936971, '[]', '[]', 'provider_refused', '', '', '', '[]', 'O75MSY6ENRJIG22XCEPP3EVTAL', '', 0, 0),
	(14, 'of-the-provider', 'registered', 'vera', 1795527937009, '[]', '[]', '', '', '', '', '[]', '3XL442VZVMZOZCC6IBBXRM6S7T', '', 0, 0),
	(15, 'of-the-provider', 'activated', 'vera', 1795527937045, '[]', '[]', '', '', 'assigned-WWN27RPRYAEUGLJ7G5WKB5QSYA', '', '[]', '3XL442VZVMZOZCC6IBBXRM6S7T', '', 0, 0),
	(16, 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 'registered', 'vera', 1795527937073, '[]', '[]', '', '', '', '', '[]', 'YOW4ENFQ7V67IK22GLQBMSKTSJ', '', 0, 0),
	(17, '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 'registered', 'vera', 1795527937473, '[]', '[]', '', '', '', '', '[]', 'TKXIPOKQK6TZSPOA23I2YLKVHF', '', 0, 0),
	(18, '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 'activated', 'vera', 1795527937530, '[]', '[]', '', '', 'assigned-43VPGAO32PVJYB3LBCY7ZPUL4L', '', '[]', 'TKXIPOKQK6TZSPOA23I2YLKVHF', '', 0, 0),
	(19, '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'registered', 'vera', 1795527937623, '[]', '[]', '', '', '', '', '[]', 'N46UHI6L53RA5C2UDARWM62FLB', '', 0, 0),
	(20, '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'activated', 'vera', 1795527937638, '[]', '[]', '', '', 'assigned-FDZUZM56THRJRGUWZBBLNTLKKF', '', '[]', 'N46UHI6L53RA5C2UDARWM62FLB', '', 0, 0),
	(21, '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'doubtful', 'vera', 1795527937719, '[]', '[]', 'provider_doubtful', '', '', '', '[]', 'QAAHZWPRLYJFMF67FHNOJXC6Z6', '', 0, 0),
	(22, 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 'registered', 'initial access token:d921c2b1fbd87352', 1795527937754, '[]', '[]', '', '', '', '', '[]', '32OOMP6RCVNMKKONZOV4F7YXCX', '', 0, 0),
	(23, 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 'activated', 'initial access token:d921c2b1fbd87352', 1795527937758, '[]', '[]', '', '', 'assigned-5J7S4FVQF5P5GYHCRR5YFUC322', '', '[]', '32OOMP6RCVNMKKONZOV4F7YXCX', '', 0, 0),
	(24, 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'registered', 'vera', 1795527937771, '[]', '[]', '', '', '', '', '[]', 'JPVNS4J6MYWGNPL5CGXQDKYUYV', '', 0, 0),
	(25, 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'held', 'vera', 1795527937771, '[]', '[]', '', '', '', '', '[]', 'JPVNS4J6MYWGNPL5CGXQDKYUYV', '', 0, 0),
	(26, 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'registered', 'vera', 1795527938006, '[]', '[]', '', '', '', '', '[]', 'KMN3XBIWAFZVTLQTCEL6DQ6ZBG', '', 0, 0),
	(27, 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'held', 'vera', 1795527938006, '[]', '[]', '', '', '', '', '[]', 'KMN3XBIWAFZVTLQTCEL6DQ6ZBG', '', 0, 0),
	(28, 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'approved', 'oidc-registrar', 1795527938107, '[]', '[]', '', '', '', '', '[]', '6IJX4GYMLWOSOCMDGOAPRNNEAP', '', 0, 0),
	(29, 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'activated', 'oidc-registrar', 1795527938212, '[]', '[]', '', '', 'assigned-VKUWLYNN465NQ2HJQZWL4C46AG', '', '[]', '6IJX4GYMLWOSOCMDGOAPRNNEAP', '', 0, 0),
	(30, '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 'registered', 'vera', 1795527938245, '[]', '[]', '', '', '', '', '[]', 'WB3GJA5QGZPJQ5SZQUETNYVWS6', '', 0, 0),
	(31, '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 'held', 'vera', 1795527938245, '[]', '[]', '', '', '', '', '[]', 'WB3GJA5QGZPJQ5SZQUETNYVWS6', '', 0, 0),
	(32, 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'failed', 'oidc-registrar', 1795527938338, '[]', '[]', 'not_approved', '', '', 'The decision of fay', '[]', 'ZLOU6EN437IMVEURRGGJNLL4UP', '', 0, 0),
	(33, '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 'removed', 'vera', 1795527938408, '[]', '[]', '', '', '', '', '[]', 'ASZGSUUM2YCXSH334TDSP6VR2N', '', 0, 0),
	(34, 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 'registered', 'vera', 1795527938461, '[]', '[]', '', '', '', '', '[]', 'V5QO3X3FTXOGNNBAO3DVUS5DEV', '', 0, 0),
	(35, 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 'held', 'vera', 1795527938461, '[]', '[]', '', '', '', '', '[]', 'V5QO3X3FTXOGNNBAO3DVUS5DEV', '', 0, 0),
	(36, 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'held', 'vera', 1795527938635, '["redirectUris"]', '[]', '', '', '', '', '[]', 'N253TCT7LG2B7SSP6DZTYKHGNB', '', 0, 0),
	(37, 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'registered', 'vera', 1795527938694, '[]', '[]', '', '', '', '', '[]', 'QOXMUT6DL5327SW6H6MRAMUVWS', '', 0, 0),
	(38, 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'activated', 'vera', 1795527938737, '[]', '[]', '', '', 'assigned-KDDO4B5PQRPARZLLBAUVQWLQZP', '', '[]', 'QOXMUT6DL5327SW6H6MRAMUVWS', '', 0, 0),
	(39, '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'registered', 'vera', 1795527938778, '[]', '[]', '', '', '', '', '[]', 'EJECBVVFJHTJVXGLQJETZHNXRH', '', 0, 0),
	(40, '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'activated', 'vera', 1795527938816, '[]', '[]', '', '', 'assigned-WAXHN5WUQUHMRHZVQJ5742HHQ4', '', '[]', 'EJECBVVFJHTJVXGLQJETZHNXRH', '', 0, 0),
	(41, 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'registered', 'vera', 1795527938850, '[]', '[]', '', '', '', '', '[]', 'X4LQLHIUSMFTBZ4E5D4UE2JCGH', '', 0, 0),
	(42, 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'activated', 'vera', 1795527938879, '[]', '[]', '', '', 'assigned-JRXXRSBYCCHYOIQ4MEV6HFUI63', '', '[]', 'X4LQLHIUSMFTBZ4E5D4UE2JCGH', '', 0, 0),
	(43, '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'missing', 'system:import', 1795527939568, '[]', '[]', 'provider_doubtful', '', '', '', '[]', '', '', 0, 0),
	(44, 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'missing', 'system:import', 1795527939596, '[]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(45, 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'differs', 'system:import', 1795527939617, '["clientName"]', '[]', '', '', '', '', '[]', '', '', 0, 0),
	(46, 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'registered', 'vera', 1795528026084, '[]', '[]', '', '', '', '', '[]', 'LVVM2MQ56OGVO5PL2FHUT5DFKH', '', 0, 0),
	(47, 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'activated', 'vera', 1795528026114, '[]', '[]', '', '', 'assigned-CELMXQG3P4JSUXT7USPDLJB57M', '', '[]', 'LVVM2MQ56OGVO5PL2FHUT5DFKH', '', 0, 0),
	(48, 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'updated', 'vera', 1795528026321, '["status"]', '[]', '', '', '', '', '[]', 'U2YZU2QLKX2XM2CYML6TZKE5B2', '', 0, 0),
	(49, 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 'registered', 'vera', 1795528046812, '[]', '[]', '', '', '', '', '[]', 'WRDK237EFQXX3HSB7NSRLDOOGJ', '', 0, 0),
	(50, 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 'registered', 'vera', 1795528047172, '[]', '[]', '', '', '', '', '[]', 'JO2BEFLYINAM6KTZQRUQZPYFCM', '', 0, 0),
	(51, 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 'held', 'vera', 1795528047172, '[]', '[]', '', '', '', '', '[]', 'JO2BEFLYINAM6KTZQRUQZPYFCM', '', 0, 0),
	(52, 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 'removed', 'vera', 1795528047206, '[]', '[]', '', '', '', '', '[]', 'F4IMFFNXDOQIJYCBXKBFFTTGHP', '', 0, 0);

INSERT INTO public.client_key VALUES
	('0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI'),
	('9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04'),
	('mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac'),
	('4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk'),
	('ujexZpcP2hVtguF1zSYKPhae7q5KDnHOBbasn1BT2wM', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk'),
	('9LGtbd7omwqnvpoiVl3dt5iO6-o5sbDGOhj980FYrJI', 'of-the-provider'),
	('hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I'),
	('6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk'),
	('2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0'),
	('iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU'),
	('ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko'),
	('lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E'),
	('rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA'),
	('67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo'),
	('x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0'),
	('gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk'),
	('T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA'),
	('qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4');

INSERT INTO public.delivery VALUES
	('01a20dce-08b7-7559-b129-93ed6369b7af', '01a20dce-08b7-74f6-aa1b-9e35e3dc1021', '', 'client.registered', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936315, 204, '', 1, '', 1795527936316, 1795527936179, 1795527936316),
	('01a20dce-08b7-755d-b756-95ce4ee88bec', '01a20dce-08b7-74f6-aa1b-9e35e3dc1021', '', 'client.registered', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936315, 204, '', 1, '', 1795527936316, 1795527936179, 1795527936316),
	('01a20dce-08b7-755f-93a0-891f862a32fa', '01a20dce-08b7-74f6-aa1b-9e35e3dc1021', '', 'client.registered', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936314, 204, '', 2, '', 1795527936316, 1795527936179, 1795527936316),
	('01a20dce-0936-7480-98d7-51205be28202', '01a20dce-0936-73ed-bae5-f0137be7b47f', '', 'client.activated', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 2, '01a20dce-07ed-716b-be35-c87610fc3297', 'gone', 'http://127.0.0.1:18476/gone', '01a20dce-07ed-716b-be35-c87610fc3297', 'failed', DEFAULT, 1, 1, 0, 1795527936411, 410, 'status 410', 4, '', 0, 1795527936267, 1795527936415),
	('01a20dce-0936-747b-be8d-9929a5eea0ba', '01a20dce-0936-73ed-bae5-f0137be7b47f', '', 'client.activated', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936412, 204, '', 4, '', 1795527936416, 1795527936267, 1795527936416),
	('01a20dce-0936-7481-8702-a987be83e435', '01a20dce-0936-73ed-bae5-f0137be7b47f', '', 'client.activated', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936412, 204, '', 3, '', 1795527936415, 1795527936267, 1795527936415),
	('01a20dce-09c7-7174-ab67-11ac875b5576', '01a20dce-09c7-7101-999a-f61acd4da480', '', 'client.activated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 2, '01a20dce-07ed-716b-be35-c87610fc3297', 'gone', 'http://127.0.0.1:18476/gone', '01a20dce-07ed-716b-be35-c87610fc3297', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527936404, 1795527936506),
	('01a20dce-09c7-716f-83b0-01e8fe132d04', '01a20dce-09c7-7101-999a-f61acd4da480', '', 'client.activated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936557, 204, '', 1, '', 1795527936558, 1795527936404, 1795527936558),
	('01a20dce-09c7-7175-ac25-2aec0d8f6dfa', '01a20dce-09c7-7101-999a-f61acd4da480', '', 'client.activated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936557, 204, '', 1, '', 1795527936558, 1795527936404, 1795527936558),
	('01a20dce-09c7-7176-aeac-0dc5dce3a660', '01a20dce-09c7-7101-999a-f61acd4da480', '', 'client.activated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936557, 204, '', 1, '', 1795527936558, 1795527936404, 1795527936558),
	('01a20dce-08b7-755c-b966-fae7e9af6707', '01a20dce-08b7-74f6-aa1b-9e35e3dc1021', '', 'client.registered', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936315, 503, 'status 503', 1, '', 0, 1795527936179, 1795528046770),
	('01a20dce-0936-747d-9c88-03f43a6f058d', '01a20dce-0936-73ed-bae5-f0137be7b47f', '', 'client.activated', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936412, 503, 'status 503', 3, '', 0, 1795527936267, 1795528046770),
	('01a20dce-09c7-7171-90e8-f8fa856d3efe', '01a20dce-09c7-7101-999a-f61acd4da480', '', 'client.activated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936557, 503, 'status 503', 8, '', 0, 1795527936404, 1795528046770),
	('01a20dce-0936-7482-8196-ea542fd530e9', '01a20dce-0936-73ed-bae5-f0137be7b47f', '', 'client.activated', '0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936412, 204, '', 3, '', 1795527936415, 1795527936267, 1795527936415),
	('01a20dce-0967-73c1-95b8-7165defa2d8f', '01a20dce-0967-7362-a9fd-4fcb6324ef8f', '', 'client.registered', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936453, 204, '', 1, '', 1795527936454, 1795527936355, 1795527936454),
	('01a20dce-0967-73c5-ba3e-7299af38142a', '01a20dce-0967-7362-a9fd-4fcb6324ef8f', '', 'client.registered', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936453, 204, '', 1, '', 1795527936454, 1795527936355, 1795527936454),
	('01a20dce-0967-73da-a7df-eff62b042607', '01a20dce-0967-7362-a9fd-4fcb6324ef8f', '', 'client.registered', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936453, 204, '', 1, '', 1795527936454, 1795527936355, 1795527936454),
	('01a20dce-0967-73c4-b4c5-903a85dd3569', '01a20dce-0967-7362-a9fd-4fcb6324ef8f', '', 'client.registered', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936453, 503, 'status 503', 1, '', 0, 1795527936355, 1795528046770),
	('01a20dce-0a47-7d97-bfec-6dc18bc36777', '01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', 'client.deactivated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 3, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936692, 204, '', 3, '', 1795527936695, 1795527936553, 1795527936695),
	('01a20dce-0a47-7d9d-9248-92f289e75dfa', '01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', 'client.deactivated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 3, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936692, 204, '', 3, '', 1795527936695, 1795527936553, 1795527936695),
	('01a20dce-0a47-7d9e-8928-0d01a2ab8cbe', '01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', 'client.deactivated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 3, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936692, 204, '', 3, '', 1795527936695, 1795527936553, 1795527936695),
	('01a20dce-0c25-774a-949e-b950c12ee434', '01a20dce-0c25-76dd-b60c-17a9e263fc5f', '', 'client.activated', 'of-the-provider', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937103, 204, '', 1, '', 1795527937104, 1795527937045, 1795527937104),
	('01a20dce-0c25-7747-a0e9-2d7c4412b9c0', '01a20dce-0c25-76dd-b60c-17a9e263fc5f', '', 'client.activated', 'of-the-provider', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937103, 204, '', 1, '', 1795527937104, 1795527937045, 1795527937104),
	('01a20dce-0c25-774b-9206-4c549bfab81a', '01a20dce-0c25-76dd-b60c-17a9e263fc5f', '', 'client.activated', 'of-the-provider', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937103, 204, '', 1, '', 1795527937104, 1795527937045, 1795527937104),
	('01a20dce-0c32-71e6-b238-6893c4789fee', '01a20dce-0c32-7192-b4d1-214f49fe75b9', '', 'client.registered', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937103, 204, '', 1, '', 1795527937104, 1795527937073, 1795527937104),
	('01a20dce-0c32-71eb-a33c-ac5ad9af63b6', '01a20dce-0c32-7192-b4d1-214f49fe75b9', '', 'client.registered', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937103, 204, '', 1, '', 1795527937104, 1795527937073, 1795527937104),
	('01a20dce-0c32-71ec-9461-a94288c1d9dd', '01a20dce-0c32-7192-b4d1-214f49fe75b9', '', 'client.registered', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937104, 204, '', 0, '', 1795527937104, 1795527937073, 1795527937104),
	('01a20dce-0fe9-75ad-90e7-0d196ad20ca0', '01a20dce-0fe9-749c-ad36-b083c3df04fa', '', 'client.registered', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 0, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938099, 204, '', 10, '', 1795527938109, 1795527938006, 1795527938109),
	('01a20dce-0fe9-75b1-bad7-88b064bd4c14', '01a20dce-0fe9-749c-ad36-b083c3df04fa', '', 'client.registered', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 0, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938099, 204, '', 10, '', 1795527938109, 1795527938006, 1795527938109),
	('01a20dce-0fe9-75b4-9c29-86d7a9cb2226', '01a20dce-0fe9-749c-ad36-b083c3df04fa', '', 'client.registered', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 0, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938098, 204, '', 11, '', 1795527938109, 1795527938006, 1795527938109),
	('01a20dce-1186-73a0-8ff7-53a59ed36385', '01a20dce-1186-7326-bec2-9b4eb4378359', '', 'client.failed', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938483, 204, '', 1, '', 1795527938484, 1795527938408, 1795527938484),
	('01a20dce-1186-73a7-9e92-dc03f367e6f6', '01a20dce-1186-7326-bec2-9b4eb4378359', '', 'client.failed', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938483, 204, '', 1, '', 1795527938484, 1795527938408, 1795527938484),
	('01a20dce-1186-73a8-b64b-4d75388b2693', '01a20dce-1186-7326-bec2-9b4eb4378359', '', 'client.failed', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938483, 204, '', 1, '', 1795527938484, 1795527938408, 1795527938484),
	('01a20dce-1291-74fe-b063-4c4d98d86ba6', '01a20dce-1291-7441-a779-1dfac8e376e2', '', 'client.registered', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938814, 204, '', 10, '', 1795527938824, 1795527938694, 1795527938824),
	('01a20dce-0a47-7d9a-9720-8dd071f46a20', '01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', 'client.deactivated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 3, '01a20dce-07fa-74a9-83e9-a42755f9c677', 'slow', 'http://127.0.0.1:18476/slow', '01a20dce-07fa-74a9-83e9-a42755f9c677', 'sending', DEFAULT, 1, 2, 0, 1795528012742, 0, 'timeout', 10003, '', 0, 1795527936553, 1795528022745),
	('01a20dce-0a47-7d99-ae5c-e746ac275c1d', '01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', 'client.deactivated', '9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 3, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936692, 503, 'status 503', 7, '', 0, 1795527936553, 1795528046770),
	('01a20dce-0c25-7749-ac3d-f9e31fc69d95', '01a20dce-0c25-76dd-b60c-17a9e263fc5f', '', 'client.activated', 'of-the-provider', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937045, 1795528046770),
	('01a20dce-0a6d-746f-a6b5-583683660254', '01a20dce-0a6d-73fd-812a-6c607e8aa808', '', 'client.registered', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936692, 204, '', 3, '', 1795527936695, 1795527936613, 1795527936695),
	('01a20dce-0a6d-7475-bb7b-d0fbd71a3552', '01a20dce-0a6d-73fd-812a-6c607e8aa808', '', 'client.registered', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936693, 204, '', 2, '', 1795527936695, 1795527936613, 1795527936695),
	('01a20dce-0a6d-7478-aa33-f68a7ffda345', '01a20dce-0a6d-73fd-812a-6c607e8aa808', '', 'client.registered', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936693, 204, '', 6, '', 1795527936699, 1795527936613, 1795527936699),
	('01a20dce-0a97-7c1f-be09-1ac5e28a29c8', '01a20dce-0a97-7baf-af35-d03c5f1084e3', '', 'client.activated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936685, 204, '', 17, '', 1795527936702, 1795527936659, 1795527936702),
	('01a20dce-0a97-7c22-baf6-db1144b8fa53', '01a20dce-0a97-7baf-af35-d03c5f1084e3', '', 'client.activated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936685, 204, '', 17, '', 1795527936702, 1795527936659, 1795527936702),
	('01a20dce-0a97-7c23-baa1-3ae78e4964e5', '01a20dce-0a97-7baf-af35-d03c5f1084e3', '', 'client.activated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936686, 204, '', 16, '', 1795527936702, 1795527936659, 1795527936702),
	('01a20dce-0af5-75f2-b200-7017a1a30127', '01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', 'client.deactivated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 3, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936772, 204, '', 2, '', 1795527936774, 1795527936669, 1795527936774),
	('01a20dce-0af5-75f8-8618-7b4607718562', '01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', 'client.deactivated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 3, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936772, 204, '', 2, '', 1795527936774, 1795527936669, 1795527936774),
	('01a20dce-0af5-75f9-a46e-b2f8a4fde0ea', '01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', 'client.deactivated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 3, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936771, 204, '', 4, '', 1795527936775, 1795527936669, 1795527936775),
	('01a20dce-0b0f-7698-81c4-857cef6f9fb3', '01a20dce-0b0f-762b-97df-e5c69821924e', '', 'client.registered', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936888, 204, '', 1, '', 1795527936889, 1795527936764, 1795527936889),
	('01a20dce-0b0f-7693-aa57-53f89a1df9ee', '01a20dce-0b0f-762b-97df-e5c69821924e', '', 'client.registered', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936889, 204, '', 1, '', 1795527936890, 1795527936764, 1795527936890),
	('01a20dce-0b0f-7697-b5dd-6ea6a88ff6c1', '01a20dce-0b0f-762b-97df-e5c69821924e', '', 'client.registered', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936888, 204, '', 1, '', 1795527936889, 1795527936764, 1795527936889),
	('01a20dce-0b51-7501-8139-a048bc2d3b84', '01a20dce-0b51-7476-a313-20b718ffe50d', '', 'client.activated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936900, 204, '', 8, '', 1795527936908, 1795527936815, 1795527936908),
	('01a20dce-0b51-7504-8422-e6d36fd3b33e', '01a20dce-0b51-7476-a313-20b718ffe50d', '', 'client.activated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936900, 204, '', 8, '', 1795527936908, 1795527936815, 1795527936908),
	('01a20dce-0b51-7505-8d38-da5d3aedd9f5', '01a20dce-0b51-7476-a313-20b718ffe50d', '', 'client.activated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936900, 204, '', 8, '', 1795527936908, 1795527936815, 1795527936908),
	('01a20dce-0bad-7d42-b49b-3ebf8b82fd6d', '01a20dce-0bad-7ca5-a98b-ec92703bda7d', '', 'client.updated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 3, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936910, 1795527936988),
	('01a20dce-0af5-75f7-bfd4-85123988f646', '01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', 'client.deactivated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 3, '01a20dce-07fa-74a9-83e9-a42755f9c677', 'slow', 'http://127.0.0.1:18476/slow', '01a20dce-07fa-74a9-83e9-a42755f9c677', 'sending', DEFAULT, 1, 2, 0, 1795528009969, 0, 'timeout', 10016, '', 0, 1795527936669, 1795528019985),
	('01a20dce-0a6d-7474-8f9d-38596025d6e4', '01a20dce-0a6d-73fd-812a-6c607e8aa808', '', 'client.registered', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936692, 503, 'status 503', 3, '', 0, 1795527936613, 1795528046770),
	('01a20dce-0a97-7c21-a05a-3813a58ca5e7', '01a20dce-0a97-7baf-af35-d03c5f1084e3', '', 'client.activated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527936684, 503, 'status 503', 18, '', 0, 1795527936659, 1795528046770),
	('01a20dce-0b51-7503-8b2e-0342d4481cfb', '01a20dce-0b51-7476-a313-20b718ffe50d', '', 'client.activated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527936815, 1795528046770),
	('01a20dce-0bb6-76c5-bd2b-f8bccb6803f0', '01a20dce-0bb6-766c-bb28-c5cbaa04f64f', '', 'client.registered', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936945, 1795527936988),
	('01a20dce-0bad-7d45-b612-63e74ca732a8', '01a20dce-0bad-7ca5-a98b-ec92703bda7d', '', 'client.updated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 3, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936910, 1795527936988),
	('01a20dce-0bad-7d46-86a2-a29412edd337', '01a20dce-0bad-7ca5-a98b-ec92703bda7d', '', 'client.updated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 3, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936910, 1795527936988),
	('01a20dce-0bb6-76c9-a3be-c01d9d1d17ae', '01a20dce-0bb6-766c-bb28-c5cbaa04f64f', '', 'client.registered', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936945, 1795527936988),
	('01a20dce-0bb6-76cc-8a64-d9ac23ec33b0', '01a20dce-0bb6-766c-bb28-c5cbaa04f64f', '', 'client.registered', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527936987, 204, '', 1, '', 1795527936988, 1795527936945, 1795527936988),
	('01a20dce-0bdb-7444-bf66-a3311b31b2f9', '01a20dce-0bdb-73de-bdb4-92e258519457', '', 'client.failed', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937039, 204, '', 13, '', 1795527937052, 1795527936971, 1795527937052),
	('01a20dce-0bdb-7448-9645-db6777624f5e', '01a20dce-0bdb-73de-bdb4-92e258519457', '', 'client.failed', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937039, 204, '', 13, '', 1795527937052, 1795527936971, 1795527937052),
	('01a20dce-0bdb-7449-b733-667087b916a4', '01a20dce-0bdb-73de-bdb4-92e258519457', '', 'client.failed', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937038, 204, '', 14, '', 1795527937052, 1795527936971, 1795527937052),
	('01a20dce-0bf4-7b56-9c98-66e53aaf8a96', '01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5', '', 'client.registered', 'of-the-provider', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937072, 204, '', 2, '', 1795527937074, 1795527937009, 1795527937074),
	('01a20dce-0bf4-7b51-a5ad-59270c1cbb50', '01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5', '', 'client.registered', 'of-the-provider', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937072, 204, '', 2, '', 1795527937074, 1795527937009, 1795527937074),
	('01a20dce-0bf4-7b57-80e5-62ab76a6a282', '01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5', '', 'client.registered', 'of-the-provider', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937071, 204, '', 3, '', 1795527937074, 1795527937009, 1795527937074),
	('01a20dce-0dc7-7a6c-b7f9-076ba73eb644', '01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc', '', 'client.registered', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937541, 204, '', 2, '', 1795527937543, 1795527937473, 1795527937543),
	('01a20dce-0dc7-7a67-a47d-1ef6270543e3', '01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc', '', 'client.registered', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937540, 204, '', 3, '', 1795527937543, 1795527937473, 1795527937543),
	('01a20dce-0dc7-7a6d-8841-3ccb6a16a56b', '01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc', '', 'client.registered', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937540, 204, '', 3, '', 1795527937543, 1795527937473, 1795527937543),
	('01a20dce-0e1d-7150-a6be-f56c80208205', '01a20dce-0e1d-70b7-9b73-92252887adca', '', 'client.activated', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937594, 204, '', 4, '', 1795527937598, 1795527937530, 1795527937598),
	('01a20dce-0e1d-7134-a060-60489770fa2a', '01a20dce-0e1d-70b7-9b73-92252887adca', '', 'client.activated', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937596, 204, '', 16, '', 1795527937612, 1795527937530, 1795527937612),
	('01a20dce-0e1d-7138-abc7-f919c7f634a6', '01a20dce-0e1d-70b7-9b73-92252887adca', '', 'client.activated', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937596, 204, '', 16, '', 1795527937612, 1795527937530, 1795527937612),
	('01a20dce-0e58-716c-bbe6-b106f2c6f9cc', '01a20dce-0e58-7122-a6d4-7c44de53cb7c', '', 'client.registered', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937669, 204, '', 10, '', 1795527937679, 1795527937623, 1795527937679),
	('01a20dce-0ee0-7047-8fc9-92050db35922', '01a20dce-0ee0-7002-83da-1f0ef07382d3', '', 'client.activated', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937784, 204, '', 2, '', 1795527937786, 1795527937758, 1795527937786),
	('01a20dce-0bb6-76c8-879f-dabf4c942777', '01a20dce-0bb6-766c-bb28-c5cbaa04f64f', '', 'client.registered', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527936945, 1795528046770),
	('01a20dce-0e58-7170-a486-187ce4751bff', '01a20dce-0e58-7122-a6d4-7c44de53cb7c', '', 'client.registered', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937645, 204, '', 1, '', 1795527937646, 1795527937623, 1795527937646),
	('01a20dce-0e58-7171-9db3-58f6da938479', '01a20dce-0e58-7122-a6d4-7c44de53cb7c', '', 'client.registered', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937669, 204, '', 10, '', 1795527937679, 1795527937623, 1795527937679),
	('01a20dce-0e80-78f3-bed1-9d4d52ef20da', '01a20dce-0e80-7897-8e42-b9dcf56c537f', '', 'client.activated', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937679, 204, '', 9, '', 1795527937688, 1795527937638, 1795527937688),
	('01a20dce-0e80-78f8-b107-88fd1d08d361', '01a20dce-0e80-7897-8e42-b9dcf56c537f', '', 'client.activated', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937679, 204, '', 9, '', 1795527937688, 1795527937638, 1795527937688),
	('01a20dce-0e80-78f7-9069-acd04984b6c1', '01a20dce-0e80-7897-8e42-b9dcf56c537f', '', 'client.activated', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937713, 204, '', 8, '', 1795527937721, 1795527937638, 1795527937721),
	('01a20dce-0ed9-7d9c-bc57-8c72c41e845d', '01a20dce-0ed9-7d59-899f-f781bb4a273f', '', 'client.registered', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937785, 204, '', 1, '', 1795527937786, 1795527937754, 1795527937786),
	('01a20dce-0ed9-7da3-8c8b-8c7ad1769a83', '01a20dce-0ed9-7d59-899f-f781bb4a273f', '', 'client.registered', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937785, 204, '', 1, '', 1795527937786, 1795527937754, 1795527937786),
	('01a20dce-0ed9-7da4-b508-a42e293cbe6d', '01a20dce-0ed9-7d59-899f-f781bb4a273f', '', 'client.registered', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937785, 204, '', 1, '', 1795527937786, 1795527937754, 1795527937786),
	('01a20dce-10e1-753d-ad61-4801741c73b7', '01a20dce-10e1-749c-b997-85f51a7beb15', '', 'client.registered', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 0, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938321, 204, '', 7, '', 1795527938328, 1795527938245, 1795527938328),
	('01a20dce-10e1-7540-881f-813a265d4373', '01a20dce-10e1-749c-b997-85f51a7beb15', '', 'client.registered', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 0, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938321, 204, '', 7, '', 1795527938328, 1795527938245, 1795527938328),
	('01a20dce-10e1-7541-a885-b500ac9d5674', '01a20dce-10e1-749c-b997-85f51a7beb15', '', 'client.registered', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 0, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938320, 204, '', 8, '', 1795527938328, 1795527938245, 1795527938328),
	('01a20dce-0e58-716e-ae7a-a67ae018b709', '01a20dce-0e58-7122-a6d4-7c44de53cb7c', '', 'client.registered', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937623, 1795528046770),
	('01a20dce-0e80-78f6-af8e-49a726355542', '01a20dce-0e80-7897-8e42-b9dcf56c537f', '', 'client.activated', '2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937638, 1795528046770),
	('01a20dce-0ed9-7d9e-b310-8745b1e5443b', '01a20dce-0ed9-7d59-899f-f781bb4a273f', '', 'client.registered', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937754, 1795528046770),
	('01a20dce-10e1-753f-9d7b-0b11b4b0e5e0', '01a20dce-10e1-749c-b997-85f51a7beb15', '', 'client.registered', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 0, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938245, 1795528046770),
	('01a20dce-0ee0-704b-9e07-9fbadd573827', '01a20dce-0ee0-7002-83da-1f0ef07382d3', '', 'client.activated', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937785, 204, '', 1, '', 1795527937786, 1795527937758, 1795527937786),
	('01a20dce-0ee0-704c-905e-c63140c8dc33', '01a20dce-0ee0-7002-83da-1f0ef07382d3', '', 'client.activated', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937784, 204, '', 3, '', 1795527937787, 1795527937758, 1795527937787),
	('01a20dce-0f11-7563-86a3-709179e552fe', '01a20dce-0f11-74a9-bd3d-c58e0a464ffc', '', 'client.registered', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 0, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527937839, 204, '', 1, '', 1795527937840, 1795527937771, 1795527937840),
	('01a20dce-0f11-7567-87c0-972bb9a4fef6', '01a20dce-0f11-74a9-bd3d-c58e0a464ffc', '', 'client.registered', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 0, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527937839, 204, '', 1, '', 1795527937840, 1795527937771, 1795527937840),
	('01a20dce-0f11-756a-ab78-eb33a3c550b7', '01a20dce-0f11-74a9-bd3d-c58e0a464ffc', '', 'client.registered', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 0, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527937839, 204, '', 1, '', 1795527937840, 1795527937771, 1795527937840),
	('01a20dce-10be-7bfe-bc7a-999559a52e71', '01a20dce-10be-7b66-91e4-f1aac577683a', '', 'client.activated', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938321, 204, '', 7, '', 1795527938328, 1795527938212, 1795527938328),
	('01a20dce-10be-7bfb-abe5-dcd48bae2713', '01a20dce-10be-7b66-91e4-f1aac577683a', '', 'client.activated', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938321, 204, '', 7, '', 1795527938328, 1795527938212, 1795527938328),
	('01a20dce-10be-7bff-9ab7-fd77feb6dfd1', '01a20dce-10be-7b66-91e4-f1aac577683a', '', 'client.activated', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938321, 204, '', 7, '', 1795527938328, 1795527938212, 1795527938328);
INSERT INTO public.delivery VALUES
	('01a20dce-113b-735f-bc13-29d3e485a9e6', '01a20dce-113b-72c8-93e8-1c2cc1e64ff8', '', 'client.failed', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938412, 204, '', 9, '', 1795527938421, 1795527938338, 1795527938421),
	('01a20dce-113b-7358-89ff-bacbb5360a45', '01a20dce-113b-72c8-93e8-1c2cc1e64ff8', '', 'client.failed', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938412, 204, '', 9, '', 1795527938421, 1795527938338, 1795527938421),
	('01a20dce-113b-735c-b2d6-3b18d6352338', '01a20dce-113b-72c8-93e8-1c2cc1e64ff8', '', 'client.failed', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938412, 204, '', 9, '', 1795527938421, 1795527938338, 1795527938421),
	('01a20dce-11bf-7d93-b991-294d15ddb8be', '01a20dce-11bf-7ce9-9c1f-2532ca05c094', '', 'client.registered', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 0, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938532, 204, '', 0, '', 1795527938532, 1795527938461, 1795527938532),
	('01a20dce-11bf-7d98-a219-20ea26af52ea', '01a20dce-11bf-7ce9-9c1f-2532ca05c094', '', 'client.registered', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 0, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938532, 204, '', 1, '', 1795527938533, 1795527938461, 1795527938533),
	('01a20dce-11bf-7d99-910a-ec942c731351', '01a20dce-11bf-7ce9-9c1f-2532ca05c094', '', 'client.registered', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 0, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938532, 204, '', 1, '', 1795527938533, 1795527938461, 1795527938533),
	('01a20dce-1305-7282-b705-3cd3991ff4eb', '01a20dce-1305-7225-ae6c-3c8d1f4222d1', '', 'client.activated', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938912, 204, '', 1, '', 1795527938913, 1795527938816, 1795527938913),
	('01a20dce-0f11-7565-9d16-719176a90872', '01a20dce-0f11-74a9-bd3d-c58e0a464ffc', '', 'client.registered', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 0, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937771, 1795528046770),
	('01a20dce-10be-7bfd-aab2-368f88dd7c6c', '01a20dce-10be-7b66-91e4-f1aac577683a', '', 'client.activated', 'ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938212, 1795528046770),
	('01a20dce-113b-735b-bc7a-dc3a47aa8efc', '01a20dce-113b-72c8-93e8-1c2cc1e64ff8', '', 'client.failed', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938338, 1795528046770),
	('01a20dce-11bf-7d95-93f4-239045c74796', '01a20dce-11bf-7ce9-9c1f-2532ca05c094', '', 'client.registered', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 0, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938461, 1795528046770),
	('01a20dce-1305-7285-b17c-4cf72d8cc517', '01a20dce-1305-7225-ae6c-3c8d1f4222d1', '', 'client.activated', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938816, 1795528046770),
	('01a20dce-1291-7501-980a-d7dc3014ca39', '01a20dce-1291-7441-a779-1dfac8e376e2', '', 'client.registered', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938814, 204, '', 10, '', 1795527938824, 1795527938694, 1795527938824),
	('01a20dce-1291-7502-98f8-a676e0ba3ddb', '01a20dce-1291-7441-a779-1dfac8e376e2', '', 'client.registered', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938814, 204, '', 10, '', 1795527938824, 1795527938694, 1795527938824),
	('01a20dce-12d8-707c-87f9-63c832e4d736', '01a20dce-12d8-7006-a635-1f2ba90d2a46', '', 'client.activated', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938737, 1795527938865),
	('01a20dce-12d8-7081-9b88-2e9644faa1bd', '01a20dce-12d8-7006-a635-1f2ba90d2a46', '', 'client.activated', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938737, 1795527938865),
	('01a20dce-12d8-7082-8395-445a8e1c3502', '01a20dce-12d8-7006-a635-1f2ba90d2a46', '', 'client.activated', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938737, 1795527938865),
	('01a20dce-12dc-7cd2-a3de-aac3d5dfc23a', '01a20dce-12dc-7c2c-ac9a-c07a57d64bb9', '', 'client.registered', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938778, 1795527938865),
	('01a20dce-12dc-7cd7-bbfe-c9c942c307d7', '01a20dce-12dc-7c2c-ac9a-c07a57d64bb9', '', 'client.registered', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938778, 1795527938865),
	('01a20dce-12dc-7cd8-8efc-b8386a3c0486', '01a20dce-12dc-7c2c-ac9a-c07a57d64bb9', '', 'client.registered', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938851, 204, '', 14, '', 1795527938865, 1795527938778, 1795527938865),
	('01a20dce-135b-7364-b8c6-faaaa43ab060', '01a20dce-135b-72eb-8f30-196b1fdd7dbf', '', 'client.activated', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938965, 204, '', 8, '', 1795527938973, 1795527938879, 1795527938973),
	('01a20dce-135b-7368-9f95-6af8a5d3070a', '01a20dce-135b-72eb-8f30-196b1fdd7dbf', '', 'client.activated', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938965, 204, '', 9, '', 1795527938974, 1795527938879, 1795527938974),
	('01a20dce-135b-736a-99ee-1385eb61efda', '01a20dce-135b-72eb-8f30-196b1fdd7dbf', '', 'client.activated', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938965, 204, '', 9, '', 1795527938974, 1795527938879, 1795527938974),
	('01a20dce-12d8-707f-9c6a-ad645631ea34', '01a20dce-12d8-7006-a635-1f2ba90d2a46', '', 'client.activated', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938737, 1795528046770),
	('01a20dce-12dc-7cd4-bef4-33f1b1c3a33b', '01a20dce-12dc-7c2c-ac9a-c07a57d64bb9', '', 'client.registered', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938778, 1795528046770),
	('01a20dce-135b-7366-bb99-f7bd79cda917', '01a20dce-135b-72eb-8f30-196b1fdd7dbf', '', 'client.activated', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938879, 1795528046770),
	('01a20dce-1305-7288-bed8-7c7d1fe95e2e', '01a20dce-1305-7225-ae6c-3c8d1f4222d1', '', 'client.activated', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938912, 204, '', 1, '', 1795527938913, 1795527938816, 1795527938913),
	('01a20dce-1305-7289-a371-f525fe20c33b', '01a20dce-1305-7225-ae6c-3c8d1f4222d1', '', 'client.activated', '67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938912, 204, '', 1, '', 1795527938913, 1795527938816, 1795527938913),
	('01a20dce-1327-76b6-851e-a38bcfe11cf2', '01a20dce-1327-764f-8edb-7cf8e4afb1ee', '', 'client.registered', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795527938912, 204, '', 2, '', 1795527938914, 1795527938850, 1795527938914),
	('01a20dce-1327-76bc-ab2e-ba74af760fcb', '01a20dce-1327-764f-8edb-7cf8e4afb1ee', '', 'client.registered', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795527938912, 204, '', 1, '', 1795527938913, 1795527938850, 1795527938913),
	('01a20dce-1327-76bd-abac-0b46d5a0740a', '01a20dce-1327-764f-8edb-7cf8e4afb1ee', '', 'client.registered', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795527938913, 204, '', 0, '', 1795527938913, 1795527938850, 1795527938913),
	('01a20dcf-67e5-72fa-98ed-f4d4b075899c', '01a20dcf-67e5-72a3-8749-02ad0eeeea5a', '', 'client.registered', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795528026165, 204, '', 13, '', 1795528026178, 1795528026084, 1795528026178),
	('01a20dcf-67e5-7300-83c9-c50ed87affcb', '01a20dcf-67e5-72a3-8749-02ad0eeeea5a', '', 'client.registered', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795528026165, 204, '', 13, '', 1795528026178, 1795528026084, 1795528026178),
	('01a20dcf-67e5-7301-bf8f-4f9fc7a0f336', '01a20dcf-67e5-72a3-8749-02ad0eeeea5a', '', 'client.registered', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795528026165, 204, '', 13, '', 1795528026178, 1795528026084, 1795528026178),
	('01a20dcf-684f-70fe-9d46-84486052fe50', '01a20dcf-684f-7039-bc98-b5b2c4e1380f', '', 'client.activated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795528026238, 204, '', 1, '', 1795528026239, 1795528026114, 1795528026239),
	('01a20dcf-684f-70fb-b5f4-a758de8273e0', '01a20dcf-684f-7039-bc98-b5b2c4e1380f', '', 'client.activated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795528026238, 204, '', 1, '', 1795528026239, 1795528026114, 1795528026239),
	('01a20dcf-684f-70ff-8f55-9fd2b7937641', '01a20dcf-684f-7039-bc98-b5b2c4e1380f', '', 'client.activated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795528026238, 204, '', 1, '', 1795528026239, 1795528026114, 1795528026239),
	('01a20dcf-67e5-72fe-9f2a-240cd7f416e2', '01a20dcf-67e5-72a3-8749-02ad0eeeea5a', '', 'client.registered', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795528026084, 1795528046770),
	('01a20dcf-684f-70fd-aaf6-2eab40ac03dd', '01a20dcf-684f-7039-bc98-b5b2c4e1380f', '', 'client.activated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795528026114, 1795528046770),
	('01a20dcf-691b-7bcb-9558-de5ce3822984', '01a20dcf-691b-7b45-815e-e209f71a761f', '', 'client.deactivated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 3, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795528026321, 1795528046770),
	('01a20dcf-691b-7bcc-b8e4-3fe192f5b666', '01a20dcf-691b-7b45-815e-e209f71a761f', '', 'client.deactivated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 3, '01a20dce-07fa-74a9-83e9-a42755f9c677', 'slow', 'http://127.0.0.1:18476/slow', '01a20dce-07fa-74a9-83e9-a42755f9c677', 'sending', DEFAULT, 1, 0, 1, 0, 0, '', 0, '', 0, 1795528026321, 1795528026321),
	('01a20dcf-691b-7bc9-9225-6dc669a3bc4e', '01a20dcf-691b-7b45-815e-e209f71a761f', '', 'client.deactivated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 3, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 1, 1795528046750, 204, '', 1, '', 1795528046751, 1795528026321, 1795528046751),
	('01a20dcf-691b-7bce-92f8-4b7e93ed50f7', '01a20dcf-691b-7b45-815e-e209f71a761f', '', 'client.deactivated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 3, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 1, 1795528046749, 204, '', 3, '', 1795528046752, 1795528026321, 1795528046752),
	('01a20dcf-691b-7bcf-ae76-c5d89dc8ade3', '01a20dcf-691b-7b45-815e-e209f71a761f', '', 'client.deactivated', 'gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 3, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 1, 1795528046750, 204, '', 12, '', 1795528046762, 1795528026321, 1795528046762),
	('01a20dce-0c32-71ea-b323-b696bdcfc11b', '01a20dce-0c32-7192-b4d1-214f49fe75b9', '', 'client.registered', 'hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937073, 1795528046770),
	('01a20dce-0fe9-75b0-9fd2-4105469a6cbe', '01a20dce-0fe9-749c-ad36-b083c3df04fa', '', 'client.registered', 'lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 0, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938006, 1795528046770),
	('01a20dce-1186-73a5-9950-ecfd3697822a', '01a20dce-1186-7326-bec2-9b4eb4378359', '', 'client.failed', '18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938408, 1795528046770),
	('01a20dce-1291-7500-a6c5-d19977908b9a', '01a20dce-1291-7441-a779-1dfac8e376e2', '', 'client.registered', 'rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938694, 1795528046770),
	('01a20dce-0bad-7d44-a3ba-b1eb1d4ef370', '01a20dce-0bad-7ca5-a98b-ec92703bda7d', '', 'client.updated', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 3, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527936910, 1795528046770),
	('01a20dce-0b0f-7696-a692-ce4300ad1c8d', '01a20dce-0b0f-762b-97df-e5c69821924e', '', 'client.registered', '4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795528027621, 503, 'status 503', 9, '', 0, 1795527936764, 1795528046770),
	('01a20dce-0af5-75f4-a104-aa783e8cac85', '01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', 'client.deactivated', 'mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 3, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 1, 0, 1795527966718, 503, 'status 503', 0, '', 0, 1795527936669, 1795528046770),
	('01a20dce-0bdb-7446-a860-0788257f19e0', '01a20dce-0bdb-73de-bdb4-92e258519457', '', 'client.failed', 'TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527936971, 1795528046770),
	('01a20dce-0bf4-7b53-8d45-d5ff8e6481f0', '01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5', '', 'client.registered', 'of-the-provider', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937009, 1795528046770),
	('01a20dce-0dc7-7a6a-b3c9-b84101c35fa7', '01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc', '', 'client.registered', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937473, 1795528046770),
	('01a20dce-0e1d-7137-9777-01fb400bf223', '01a20dce-0e1d-70b7-9b73-92252887adca', '', 'client.activated', '6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937530, 1795528046770),
	('01a20dce-0ee0-7049-b919-01522aee0346', '01a20dce-0ee0-7002-83da-1f0ef07382d3', '', 'client.activated', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 2, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527937758, 1795528046770),
	('01a20dce-1327-76ba-b0ee-9d126c3f6a7b', '01a20dce-1327-764f-8edb-7cf8e4afb1ee', '', 'client.registered', 'x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 1, '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'cancelled', DEFAULT, 1, 0, 0, 0, 0, '', 0, '', 0, 1795527938850, 1795528046770),
	('01a20dcf-b8e2-70ea-8c16-7691537955c2', '01a20dcf-b8e2-7070-aed0-a8c008810d40', '', 'client.registered', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 1, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795528046878, 204, '', 1, '', 1795528046879, 1795528046812, 1795528046879),
	('01a20dcf-b8e2-70ed-9e23-dfc63990c3c0', '01a20dcf-b8e2-7070-aed0-a8c008810d40', '', 'client.registered', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 1, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795528046878, 204, '', 1, '', 1795528046879, 1795528046812, 1795528046879),
	('01a20dcf-b8e2-70ef-ad98-08d061730936', '01a20dcf-b8e2-7070-aed0-a8c008810d40', '', 'client.registered', 'T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 1, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795528046878, 204, '', 1, '', 1795528046879, 1795528046812, 1795528046879),
	('01a20dcf-ba59-7cd0-bc03-93e6dea7ca37', '01a20dcf-ba59-7c63-965a-b69434787608', '', 'client.registered', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 0, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795528047249, 204, '', 5, '', 1795528047254, 1795528047172, 1795528047254),
	('01a20dcf-ba59-7cd2-9200-734f8d1c4516', '01a20dcf-ba59-7c63-965a-b69434787608', '', 'client.registered', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 0, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795528047250, 204, '', 4, '', 1795528047254, 1795528047172, 1795528047254),
	('01a20dcf-ba59-7cd3-9f88-c9eb3ef44b6a', '01a20dcf-ba59-7c63-965a-b69434787608', '', 'client.registered', 'qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 0, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795528047249, 204, '', 5, '', 1795528047254, 1795528047172, 1795528047254),
	('01a20dcf-bac4-735c-873c-dcd53ada174f', '01a20dcf-bac4-72cd-a004-7b76ac73c20c', '', 'client.failed', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 2, '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'delivered', DEFAULT, 1, 1, 0, 1795528047358, 204, '', 0, '', 1795528047358, 1795528047206, 1795528047358),
	('01a20dcf-bac4-735f-8473-ff2e5904032e', '01a20dcf-bac4-72cd-a004-7b76ac73c20c', '', 'client.failed', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 2, '01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '01a20dce-0816-714a-905f-2d6f137cb874', 'delivered', DEFAULT, 1, 1, 0, 1795528047358, 204, '', 0, '', 1795528047358, 1795528047206, 1795528047358),
	('01a20dcf-bac4-7360-bc3b-da0a07d1d78d', '01a20dcf-bac4-72cd-a004-7b76ac73c20c', '', 'client.failed', 'xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I', 2, '01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '01a20dce-081a-7987-a89a-bb82096506f9', 'delivered', DEFAULT, 1, 1, 0, 1795528047357, 204, '', 1, '', 1795528047358, 1795528047206, 1795528047358);

INSERT INTO public.delivery_attempt VALUES
	('01a20dce-08b7-7559-b129-93ed6369b7af', 1, 1, 1, 1795527936315, 1795527936316, 'delivered', 204, '', ''),
	('01a20dce-08b7-755f-93a0-891f862a32fa', 1, 1, 1, 1795527936314, 1795527936316, 'delivered', 204, '', ''),
	('01a20dce-08b7-755d-b756-95ce4ee88bec', 1, 1, 1, 1795527936315, 1795527936316, 'delivered', 204, '', ''),
	('01a20dce-08b7-755c-b966-fae7e9af6707', 1, 1, 1, 1795527936315, 1795527936316, 'failed', 503, 'status 503', ''),
	('01a20dce-0936-7480-98d7-51205be28202', 1, 1, 1, 1795527936411, 1795527936415, 'failed', 410, 'status 410', ''),
	('01a20dce-0936-747d-9c88-03f43a6f058d', 1, 1, 1, 1795527936412, 1795527936415, 'failed', 503, 'status 503', ''),
	('01a20dce-0936-7481-8702-a987be83e435', 1, 1, 1, 1795527936412, 1795527936415, 'delivered', 204, '', ''),
	('01a20dce-0936-7482-8196-ea542fd530e9', 1, 1, 1, 1795527936412, 1795527936415, 'delivered', 204, '', ''),
	('01a20dce-0936-747b-be8d-9929a5eea0ba', 1, 1, 1, 1795527936412, 1795527936416, 'delivered', 204, '', ''),
	('01a20dce-0967-73da-a7df-eff62b042607', 1, 1, 1, 1795527936453, 1795527936454, 'delivered', 204, '', ''),
	('01a20dce-0967-73c4-b4c5-903a85dd3569', 1, 1, 1, 1795527936453, 1795527936454, 'failed', 503, 'status 503', ''),
	('01a20dce-0967-73c1-95b8-7165defa2d8f', 1, 1, 1, 1795527936453, 1795527936454, 'delivered', 204, '', ''),
	('01a20dce-0967-73c5-ba3e-7299af38142a', 1, 1, 1, 1795527936453, 1795527936454, 'delivered', 204, '', ''),
	('01a20dce-09c7-716f-83b0-01e8fe132d04', 1, 1, 1, 1795527936557, 1795527936558, 'delivered', 204, '', ''),
	('01a20dce-09c7-7175-ac25-2aec0d8f6dfa', 1, 1, 1, 1795527936557, 1795527936558, 'delivered', 204, '', ''),
	('01a20dce-09c7-7176-aeac-0dc5dce3a660', 1, 1, 1, 1795527936557, 1795527936558, 'delivered', 204, '', ''),
	('01a20dce-09c7-7171-90e8-f8fa856d3efe', 1, 1, 1, 1795527936557, 1795527936565, 'failed', 503, 'status 503', ''),
	('01a20dce-0a47-7d97-bfec-6dc18bc36777', 1, 1, 1, 1795527936692, 1795527936695, 'delivered', 204, '', ''),
	('01a20dce-0a47-7d9d-9248-92f289e75dfa', 1, 1, 1, 1795527936692, 1795527936695, 'delivered', 204, '', ''),
	('01a20dce-0a6d-7475-bb7b-d0fbd71a3552', 1, 1, 1, 1795527936693, 1795527936695, 'delivered', 204, '', ''),
	('01a20dce-0a47-7d9e-8928-0d01a2ab8cbe', 1, 1, 1, 1795527936692, 1795527936695, 'delivered', 204, '', ''),
	('01a20dce-0a6d-746f-a6b5-583683660254', 1, 1, 1, 1795527936692, 1795527936695, 'delivered', 204, '', ''),
	('01a20dce-0a6d-7474-8f9d-38596025d6e4', 1, 1, 1, 1795527936692, 1795527936695, 'failed', 503, 'status 503', ''),
	('01a20dce-0a6d-7478-aa33-f68a7ffda345', 1, 1, 1, 1795527936693, 1795527936699, 'delivered', 204, '', ''),
	('01a20dce-0a47-7d99-ae5c-e746ac275c1d', 1, 1, 1, 1795527936692, 1795527936699, 'failed', 503, 'status 503', ''),
	('01a20dce-0a97-7c22-baf6-db1144b8fa53', 1, 1, 1, 1795527936685, 1795527936702, 'delivered', 204, '', ''),
	('01a20dce-0a97-7c1f-be09-1ac5e28a29c8', 1, 1, 1, 1795527936685, 1795527936702, 'delivered', 204, '', ''),
	('01a20dce-0a97-7c23-baa1-3ae78e4964e5', 1, 1, 1, 1795527936686, 1795527936702, 'delivered', 204, '', ''),
	('01a20dce-0a97-7c21-a05a-3813a58ca5e7', 1, 1, 1, 1795527936684, 1795527936702, 'failed', 503, 'status 503', ''),
	('01a20dce-0af5-75f2-b200-7017a1a30127', 1, 1, 1, 1795527936772, 1795527936774, 'delivered', 204, '', ''),
	('01a20dce-0af5-75f8-8618-7b4607718562', 1, 1, 1, 1795527936772, 1795527936774, 'delivered', 204, '', ''),
	('01a20dce-0af5-75f9-a46e-b2f8a4fde0ea', 1, 1, 1, 1795527936771, 1795527936775, 'delivered', 204, '', ''),
	('01a20dce-0b0f-7698-81c4-857cef6f9fb3', 1, 1, 1, 1795527936888, 1795527936889, 'delivered', 204, '', ''),
	('01a20dce-0b0f-7697-b5dd-6ea6a88ff6c1', 1, 1, 1, 1795527936888, 1795527936889, 'delivered', 204, '', ''),
	('01a20dce-0b0f-7693-aa57-53f89a1df9ee', 1, 1, 1, 1795527936889, 1795527936890, 'delivered', 204, '', ''),
	('01a20dce-0b51-7501-8139-a048bc2d3b84', 1, 1, 1, 1795527936900, 1795527936908, 'delivered', 204, '', ''),
	('01a20dce-0b51-7504-8422-e6d36fd3b33e', 1, 1, 1, 1795527936900, 1795527936908, 'delivered', 204, '', ''),
	('01a20dce-0b51-7505-8d38-da5d3aedd9f5', 1, 1, 1, 1795527936900, 1795527936908, 'delivered', 204, '', ''),
	('01a20dce-0bb6-76c5-bd2b-f8bccb6803f0', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bad-7d46-86a2-a29412edd337', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bad-7d45-b612-63e74ca732a8', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bad-7d42-b49b-3ebf8b82fd6d', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bb6-76cc-8a64-d9ac23ec33b0', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bb6-76c9-a3be-c01d9d1d17ae', 1, 1, 1, 1795527936987, 1795527936988, 'delivered', 204, '', ''),
	('01a20dce-0bdb-7444-bf66-a3311b31b2f9', 1, 1, 1, 1795527937039, 1795527937052, 'delivered', 204, '', ''),
	('01a20dce-0bdb-7448-9645-db6777624f5e', 1, 1, 1, 1795527937039, 1795527937052, 'delivered', 204, '', ''),
	('01a20dce-0bdb-7449-b733-667087b916a4', 1, 1, 1, 1795527937038, 1795527937052, 'delivered', 204, '', ''),
	('01a20dce-0bf4-7b56-9c98-66e53aaf8a96', 1, 1, 1, 1795527937072, 1795527937074, 'delivered', 204, '', ''),
	('01a20dce-0bf4-7b51-a5ad-59270c1cbb50', 1, 1, 1, 1795527937072, 1795527937074, 'delivered', 204, '', ''),
	('01a20dce-0bf4-7b57-80e5-62ab76a6a282', 1, 1, 1, 1795527937071, 1795527937074, 'delivered', 204, '', ''),
	('01a20dce-0c25-774a-949e-b950c12ee434', 1, 1, 1, 1795527937103, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0c25-7747-a0e9-2d7c4412b9c0', 1, 1, 1, 1795527937103, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0c25-774b-9206-4c549bfab81a', 1, 1, 1, 1795527937103, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0c32-71eb-a33c-ac5ad9af63b6', 1, 1, 1, 1795527937103, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0c32-71e6-b238-6893c4789fee', 1, 1, 1, 1795527937103, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0c32-71ec-9461-a94288c1d9dd', 1, 1, 1, 1795527937104, 1795527937104, 'delivered', 204, '', ''),
	('01a20dce-0dc7-7a6c-b7f9-076ba73eb644', 1, 1, 1, 1795527937541, 1795527937543, 'delivered', 204, '', ''),
	('01a20dce-0dc7-7a67-a47d-1ef6270543e3', 1, 1, 1, 1795527937540, 1795527937543, 'delivered', 204, '', ''),
	('01a20dce-0dc7-7a6d-8841-3ccb6a16a56b', 1, 1, 1, 1795527937540, 1795527937543, 'delivered', 204, '', ''),
	('01a20dce-0e1d-7150-a6be-f56c80208205', 1, 1, 1, 1795527937594, 1795527937598, 'delivered', 204, '', ''),
	('01a20dce-0e1d-7134-a060-60489770fa2a', 1, 1, 1, 1795527937596, 1795527937612, 'delivered', 204, '', ''),
	('01a20dce-0e1d-7138-abc7-f919c7f634a6', 1, 1, 1, 1795527937596, 1795527937612, 'delivered', 204, '', ''),
	('01a20dce-0e58-7170-a486-187ce4751bff', 1, 1, 1, 1795527937645, 1795527937646, 'delivered', 204, '', ''),
	('01a20dce-0e58-716c-bbe6-b106f2c6f9cc', 1, 1, 1, 1795527937669, 1795527937679, 'delivered', 204, '', ''),
	('01a20dce-0e58-7171-9db3-58f6da938479', 1, 1, 1, 1795527937669, 1795527937679, 'delivered', 204, '', ''),
	('01a20dce-0e80-78f8-b107-88fd1d08d361', 1, 1, 1, 1795527937679, 1795527937688, 'delivered', 204, '', ''),
	('01a20dce-0e80-78f3-bed1-9d4d52ef20da', 1, 1, 1, 1795527937679, 1795527937688, 'delivered', 204, '', ''),
	('01a20dce-0e80-78f7-9069-acd04984b6c1', 1, 1, 1, 1795527937713, 1795527937721, 'delivered', 204, '', ''),
	('01a20dce-0ed9-7d9c-bc57-8c72c41e845d', 1, 1, 1, 1795527937785, 1795527937786, 'delivered', 204, '', ''),
	('01a20dce-0ed9-7da4-b508-a42e293cbe6d', 1, 1, 1, 1795527937785, 1795527937786, 'delivered', 204, '', ''),
	('01a20dce-0ee0-7047-8fc9-92050db35922', 1, 1, 1, 1795527937784, 1795527937786, 'delivered', 204, '', ''),
	('01a20dce-0ed9-7da3-8c8b-8c7ad1769a83', 1, 1, 1, 1795527937785, 1795527937786, 'delivered', 204, '', ''),
	('01a20dce-0ee0-704b-9e07-9fbadd573827', 1, 1, 1, 1795527937785, 1795527937786, 'delivered', 204, '', ''),
	('01a20dce-0ee0-704c-905e-c63140c8dc33', 1, 1, 1, 1795527937784, 1795527937787, 'delivered', 204, '', ''),
	('01a20dce-0f11-7563-86a3-709179e552fe', 1, 1, 1, 1795527937839, 1795527937840, 'delivered', 204, '', ''),
	('01a20dce-0f11-756a-ab78-eb33a3c550b7', 1, 1, 1, 1795527937839, 1795527937840, 'delivered', 204, '', ''),
	('01a20dce-0f11-7567-87c0-972bb9a4fef6', 1, 1, 1, 1795527937839, 1795527937840, 'delivered', 204, '', ''),
	('01a20dce-0fe9-75ad-90e7-0d196ad20ca0', 1, 1, 1, 1795527938099, 1795527938109, 'delivered', 204, '', ''),
	('01a20dce-0fe9-75b4-9c29-86d7a9cb2226', 1, 1, 1, 1795527938098, 1795527938109, 'delivered', 204, '', ''),
	('01a20dce-0fe9-75b1-bad7-88b064bd4c14', 1, 1, 1, 1795527938099, 1795527938109, 'delivered', 204, '', ''),
	('01a20dce-10be-7bfe-bc7a-999559a52e71', 1, 1, 1, 1795527938321, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-10e1-753d-ad61-4801741c73b7', 1, 1, 1, 1795527938321, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-10e1-7541-a885-b500ac9d5674', 1, 1, 1, 1795527938320, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-10be-7bfb-abe5-dcd48bae2713', 1, 1, 1, 1795527938321, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-10e1-7540-881f-813a265d4373', 1, 1, 1, 1795527938321, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-10be-7bff-9ab7-fd77feb6dfd1', 1, 1, 1, 1795527938321, 1795527938328, 'delivered', 204, '', ''),
	('01a20dce-0a47-7d9a-9720-8dd071f46a20', 1, 1, 1, 1795527936692, 1795527946692, 'failed', 0, 'timeout', ''),
	('01a20dce-0af5-75f7-bfd4-85123988f646', 1, 1, 1, 1795527936772, 1795527946777, 'failed', 0, 'timeout', ''),
	('01a20dce-0af5-75f4-a104-aa783e8cac85', 1, 1, 1, 1795527966718, 1795527966718, 'failed', 503, 'status 503', ''),
	('01a20dce-113b-735f-bc13-29d3e485a9e6', 1, 1, 1, 1795527938412, 1795527938421, 'delivered', 204, '', ''),
	('01a20dce-113b-735c-b2d6-3b18d6352338', 1, 1, 1, 1795527938412, 1795527938421, 'delivered', 204, '', ''),
	('01a20dce-113b-7358-89ff-bacbb5360a45', 1, 1, 1, 1795527938412, 1795527938421, 'delivered', 204, '', ''),
	('01a20dce-11bf-7d93-b991-294d15ddb8be', 1, 1, 1, 1795527938532, 1795527938532, 'delivered', 204, '', ''),
	('01a20dce-11bf-7d99-910a-ec942c731351', 1, 1, 1, 1795527938532, 1795527938533, 'delivered', 204, '', ''),
	('01a20dce-11bf-7d98-a219-20ea26af52ea', 1, 1, 1, 1795527938532, 1795527938533, 'delivered', 204, '', ''),
	('01a20dce-1305-7288-bed8-7c7d1fe95e2e', 1, 1, 1, 1795527938912, 1795527938913, 'delivered', 204, '', ''),
	('01a20dce-1305-7289-a371-f525fe20c33b', 1, 1, 1, 1795527938912, 1795527938913, 'delivered', 204, '', ''),
	('01a20dce-1305-7282-b705-3cd3991ff4eb', 1, 1, 1, 1795527938912, 1795527938913, 'delivered', 204, '', ''),
	('01a20dce-1327-76bc-ab2e-ba74af760fcb', 1, 1, 1, 1795527938912, 1795527938913, 'delivered', 204, '', ''),
	('01a20dce-1327-76bd-abac-0b46d5a0740a', 1, 1, 1, 1795527938913, 1795527938913, 'delivered', 204, '', '');
INSERT INTO public.delivery_attempt VALUES
	('01a20dce-1327-76b6-851e-a38bcfe11cf2', 1, 1, 1, 1795527938912, 1795527938914, 'delivered', 204, '', ''),
	('01a20dce-1186-73a0-8ff7-53a59ed36385', 1, 1, 1, 1795527938483, 1795527938484, 'delivered', 204, '', ''),
	('01a20dce-1186-73a8-b64b-4d75388b2693', 1, 1, 1, 1795527938483, 1795527938484, 'delivered', 204, '', ''),
	('01a20dce-1186-73a7-9e92-dc03f367e6f6', 1, 1, 1, 1795527938483, 1795527938484, 'delivered', 204, '', ''),
	('01a20dce-1291-74fe-b063-4c4d98d86ba6', 1, 1, 1, 1795527938814, 1795527938824, 'delivered', 204, '', ''),
	('01a20dce-1291-7502-98f8-a676e0ba3ddb', 1, 1, 1, 1795527938814, 1795527938824, 'delivered', 204, '', ''),
	('01a20dce-1291-7501-980a-d7dc3014ca39', 1, 1, 1, 1795527938814, 1795527938824, 'delivered', 204, '', ''),
	('01a20dce-12dc-7cd2-a3de-aac3d5dfc23a', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-12dc-7cd8-8efc-b8386a3c0486', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-12d8-707c-87f9-63c832e4d736', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-12d8-7081-9b88-2e9644faa1bd', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-12d8-7082-8395-445a8e1c3502', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-12dc-7cd7-bbfe-c9c942c307d7', 1, 1, 1, 1795527938851, 1795527938865, 'delivered', 204, '', ''),
	('01a20dce-135b-7364-b8c6-faaaa43ab060', 1, 1, 1, 1795527938965, 1795527938973, 'delivered', 204, '', ''),
	('01a20dce-135b-7368-9f95-6af8a5d3070a', 1, 1, 1, 1795527938965, 1795527938974, 'delivered', 204, '', ''),
	('01a20dce-135b-736a-99ee-1385eb61efda', 1, 1, 1, 1795527938965, 1795527938974, 'delivered', 204, '', ''),
	('01a20dce-0af5-75f7-bfd4-85123988f646', 1, 2, 2, 1795528009969, 1795528019985, 'failed', 0, 'timeout', ''),
	('01a20dce-0a47-7d9a-9720-8dd071f46a20', 1, 2, 2, 1795528012742, 1795528022745, 'failed', 0, 'timeout', ''),
	('01a20dcf-67e5-72fa-98ed-f4d4b075899c', 1, 1, 1, 1795528026165, 1795528026178, 'delivered', 204, '', ''),
	('01a20dcf-67e5-7300-83c9-c50ed87affcb', 1, 1, 1, 1795528026165, 1795528026178, 'delivered', 204, '', ''),
	('01a20dcf-67e5-7301-bf8f-4f9fc7a0f336', 1, 1, 1, 1795528026165, 1795528026178, 'delivered', 204, '', ''),
	('01a20dcf-684f-70fe-9d46-84486052fe50', 1, 1, 1, 1795528026238, 1795528026239, 'delivered', 204, '', ''),
	('01a20dcf-684f-70fb-b5f4-a758de8273e0', 1, 1, 1, 1795528026238, 1795528026239, 'delivered', 204, '', ''),
	('01a20dcf-684f-70ff-8f55-9fd2b7937641', 1, 1, 1, 1795528026238, 1795528026239, 'delivered', 204, '', ''),
	('01a20dce-0b0f-7696-a692-ce4300ad1c8d', 1, 1, 1, 1795528027621, 1795528027630, 'failed', 503, 'status 503', ''),
	('01a20dcf-691b-7bc9-9225-6dc669a3bc4e', 1, 1, NULL, 1795528026413, 1795528046733, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dcf-691b-7bce-92f8-4b7e93ed50f7', 1, 1, NULL, 1795528026413, 1795528046733, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dcf-691b-7bcf-ae76-c5d89dc8ade3', 1, 1, NULL, 1795528026413, 1795528046733, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dcf-691b-7bcc-b8e4-3fe192f5b666', 1, 1, NULL, 1795528026413, 1795528046733, 'unknown', 0, 'the worker stopped before it saved a result', ''),
	('01a20dcf-691b-7bc9-9225-6dc669a3bc4e', 1, 2, 1, 1795528046750, 1795528046751, 'delivered', 204, '', ''),
	('01a20dcf-691b-7bce-92f8-4b7e93ed50f7', 1, 2, 1, 1795528046749, 1795528046752, 'delivered', 204, '', ''),
	('01a20dcf-691b-7bcf-ae76-c5d89dc8ade3', 1, 2, 1, 1795528046750, 1795528046762, 'delivered', 204, '', ''),
	('01a20dcf-b8e2-70ea-8c16-7691537955c2', 1, 1, 1, 1795528046878, 1795528046879, 'delivered', 204, '', ''),
	('01a20dcf-b8e2-70ef-ad98-08d061730936', 1, 1, 1, 1795528046878, 1795528046879, 'delivered', 204, '', ''),
	('01a20dcf-b8e2-70ed-9e23-dfc63990c3c0', 1, 1, 1, 1795528046878, 1795528046879, 'delivered', 204, '', ''),
	('01a20dcf-ba59-7cd0-bc03-93e6dea7ca37', 1, 1, 1, 1795528047249, 1795528047254, 'delivered', 204, '', ''),
	('01a20dcf-ba59-7cd2-9200-734f8d1c4516', 1, 1, 1, 1795528047250, 1795528047254, 'delivered', 204, '', ''),
	('01a20dcf-ba59-7cd3-9f88-c9eb3ef44b6a', 1, 1, 1, 1795528047249, 1795528047254, 'delivered', 204, '', ''),
	('01a20dcf-bac4-7360-bc3b-da0a07d1d78d', 1, 1, 1, 1795528047357, 1795528047358, 'delivered', 204, '', ''),
	('01a20dcf-bac4-735f-8473-ff2e5904032e', 1, 1, 1, 1795528047358, 1795528047358, 'delivered', 204, '', ''),
	('01a20dcf-bac4-735c-873c-dcd53ada174f', 1, 1, 1, 1795528047358, 1795528047358, 'delivered', 204, '', '');

INSERT INTO public.difference VALUES
	('67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'locked', '[]', 1795527939568),
	('x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'missing', '[]', 1795527939596),
	('rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'changed', '["clientName"]', 1795527939617);

INSERT INTO public.endpoint VALUES
	('01a20dce-07a1-7b66-b3fa-06b0567f8a40', 'ok', 'http://127.0.0.1:18476/ok', '', '["*"]', '["*"]', '', 'v1', true, '', 0, 'dump:CygLZbVWTrmlVgKVwF5sripZAnpY31iHa5RfyoIt8g2nHgkOgpT4hIDZ3M1NvGl74vWvAieuc7HczRVc7jxVLU2GwAyVVcwCWSbOJMOoXuCB4P4HPMtugM4-alA_EmV2Oo7XPk3Mo4-9rY3lKDiqJ-WD-uIQiMM4AY1m06o-zF4qmZnFhg2ZJMJiPfV0uzgqSh_29FgeAGXlzmcWJbbLdSUuqDy_0f66RTlILA', '2MI=', 'whpk_fTWHQi7tvI6O2vX0CAT72QhTbfm5DavY3UI4JeZIMMI=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527935931, 1795527935931, 1),
	('01a20dce-0816-714a-905f-2d6f137cb874', 'v1a', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'v1a', true, '', 0, 'dump:xicl2KcvOJB3muK4VBQSagvN3sp11wegsodjqb4Zbul_QMx1J_nd6-G5ABaTzD37i-jVEDQpiHmzM5e0zvI8DpHsPq9Bk5SEBOnjH-BXp1g6cTnhQ1rArSAiLIR8xj0vp4_1TispiGlWRpHeMmwL8ecbWbXdV9hXTBYih7I2lHkbvnFqBlZFVXzMG6c8_Vxb6i43nez4s10Rx9K32ZX4Rg3EEmuk89oeGIAFiQ', 'P10=', 'whpk_bYmbXtDV37coS66P/ERdrBrtIfovw22xPb8nreFsMi4=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527936022, 1795527936022, 1),
	('01a20dce-081a-7987-a89a-bb82096506f9', 'both', 'http://127.0.0.1:18476/ok', '', '["client.*"]', '["*"]', '', 'both', true, '', 0, 'dump:pMHHdOTym3k7MtHDZRA9nrh3ZZUjPViAMG805SbtcJYggf8LQdh-FvYIJycSZRdv3lZtypJY0ZRm1hdWqh33peIB2s3H1RfcSg0sKrG5g1pTiEW08fwvdZnU9sRFeIWvln_avGVeyEZEZTpuAj_SkK_BlIXAzXg7Gx7xa9qRinxzKUAr5IwR9m_wtatSdI2bNrqI-V8-4dlMT5x9ZDo_ldX37qRN0ObteUYc6g', '+U0=', 'whpk_qjmdKEXdb4feqPME5m84cR2yuxhAYEw7cxtE0DAljV4=', '', '', '', 0, 0, 0, 0, '{"id":"ada"}', 1795527936027, 1795527936027, 1),
	('01a20dce-07ed-716b-be35-c87610fc3297', 'gone', 'http://127.0.0.1:18476/gone', '', '["client.activated"]', '["*"]', '', 'v1', false, 'gone', 1795527936415, 'dump:LPUa0V-ZkzeZqv1Ej3S6iPRNnuPlbMLnEYmRjPd4xXq4XWj6jJ1zLDDc95qa1r2ycGVZJ4fr5fbOW8NERmQXeu0lf6PP1Bma5dDcweNLxGzQga2Sb0udkO3LySQ2IMix5QmAd9P-e8xE9RyMGSi9B5XrKPTbXgNQQem7KDxTDySfhc5y8lIT0KiuzY_WtF2seeTkdI6WR9mzgcfYVwiGY439tq4ndiXTGaGpVQ', 'sEQ=', 'whpk_yPKPqrKBNxN9GX4Zzgg+VQjIjZz1Y45tYuEge9YDHzI=', '', '', '', 0, 1, 1795527936415, 0, '{"id":"ada"}', 1795527935981, 1795527936415, 2),
	('01a20dce-07fa-74a9-83e9-a42755f9c677', 'slow', 'http://127.0.0.1:18476/slow', '', '["client.deactivated"]', '["*"]', '', 'v1', true, '', 0, 'dump:x17lt1oLcDDI0nf15K8ejThk8HUp8tXdD8H52BIiyJQCi0Qo19N92TngAQEYzcpa96Cz2ubFKVFYNeamPHglp8gFmdMIs_eL4b2zhNC5ir3Y0_12ba-pwRTMISju3mbwWwx6Bn0gqLj21gdPXF7Ji-qGpiVtOVr5oPaHBPB2b3J3z0R1kbEz0XZOHotJ4PvK7WbsWj25heRWhIh1la3-MMxeDWXjUZbLBGNpcQ', 'dXY=', 'whpk_4ol8s12YpXk2ezz9zAigquRVa60fFiSakRxPjpZouZo=', '', '', '', 0, 4, 1795527946692, 0, '{"id":"ada"}', 1795527935994, 1795527935994, 1),
	('01a20dce-07e4-7012-a7ee-76f4737e7ca8', 'busy', 'http://127.0.0.1:18476/busy', '', '["client.*"]', '["*"]', '', 'v1', false, 'admin', 1795528046770, 'dump:LkxnMZ9JLR4eLhlehtNdetREvs4K4sQsdLR7D5YzrNWRZGCRGbAr142yo4slE2lVpHh8b5f1HA0x2CLD8WTNyzDXDxXachGsle8oyouSrm5tPpcbfWFgSvlyHjFFOAXrsTsic_6gHmWuLLKGmUzB3x_Yf0ej9Vbn9IwWvwWquEldrg0UON-FxDdRSb38yw0OjOHs-kq0TtMnBWULHfgOLOgG4Ki48uvDT25W4g', 'BeE=', 'whpk_7ngvQlyukvsxgkhJWvMMYluIBY4zCb9Rf56guJj+78k=', '', '', '', 0, 7, 1795527936316, 1795528147630, '{"id":"ada"}', 1795527935972, 1795528046770, 2);

INSERT INTO public.goose_db_version VALUES
	(1, 0, true, '2026-11-24 13:45:35.051909'),
	(2, 1, true, '2026-11-24 13:45:35.166982');

INSERT INTO public.idp_call VALUES
	('lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 'update', '{"Name":"down","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 2, 1795528302279, '', false, false, ''),
	('2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'update', '{"Name":"lost","UserClaims":null,"ACRs":null,"LogoURI":"https://client.example.org/logo.png","RedirectURIs":["https://client.example.org/callback"],"GrantTypes":["authorization_code"],"AuthMethods":["private_key_jwt"],"Extensions":{"Names":null,"Config":null,"EncKey":null},"Status":"ACTIVE","Keys":{"Add":{"JWK":"","Thumbprint":"","ID":""},"Remove":""},"Ignored":null,"Final":false,"Lift":true,"Immediate":false,"Note":""}', 'vera', 0, 1795531627635, '', true, false, ''),
	('T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA', 'register', '{}', 'vera', 1, 1795528107142, '', true, false, ''),
	('qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4', 'register', '{}', 'vera', 0, 253370764800000, '', false, false, ''),
	('gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'read', '{}', 'system:import', 1, 1795528107702, 'EQZDZPD7RDLOSGNYF3FKARALCE', true, false, ''),
	('hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I', 'remove', '{}', 'vera', 2, 1795528302553, '', true, false, '');

INSERT INTO public.initial_token VALUES
	('3aed56066974f1ad6d5bdfa780ce8c0116f9251cf828e20889ffed0b3d2db608', 'bank', 'free', 2, 1795614337733, 'ada'),
	('d921c2b1fbd87352c290f69a856d0584ebe64213c3f3efae1ffe95fddfed2e50', 'bank', 'free', 4, 1795614337743, 'ada');

INSERT INTO public.message VALUES
	('01a20dce-08b7-74f6-aa1b-9e35e3dc1021', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:36.179Z","data":{"eventId":"01a20dce-08b7-74f6-aa1b-9e35e3dc1021","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0936-73ed-bae5-f0137be7b47f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:36.267Z","data":{"eventId":"01a20dce-0936-73ed-bae5-f0137be7b47f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI","providerClientId":"assigned-53ODIYWGWAGJQH35VTIIXZ3R45","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0967-7362-a9fd-4fcb6324ef8f', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:36.355Z","data":{"eventId":"01a20dce-0967-7362-a9fd-4fcb6324ef8f","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-09c7-7101-999a-f61acd4da480', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:36.404Z","data":{"eventId":"01a20dce-09c7-7101-999a-f61acd4da480","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04","providerClientId":"assigned-PBMGGZNRLOX33INKHENV3DLC2S","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0a47-7d1e-ba7d-fcd4711b31ee', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:45:36.553Z","data":{"eventId":"01a20dce-0a47-7d1e-ba7d-fcd4711b31ee","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04","providerClientId":"assigned-PBMGGZNRLOX33INKHENV3DLC2S","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20dce-0a6d-73fd-812a-6c607e8aa808', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:36.613Z","data":{"eventId":"01a20dce-0a6d-73fd-812a-6c607e8aa808","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0a97-7baf-af35-d03c5f1084e3', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:36.659Z","data":{"eventId":"01a20dce-0a97-7baf-af35-d03c5f1084e3","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac","providerClientId":"assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0af5-7529-aaa3-fbf21e52e64b', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:45:36.669Z","data":{"eventId":"01a20dce-0af5-7529-aaa3-fbf21e52e64b","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac","providerClientId":"assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"ada"}}', ''),
	('01a20dce-0b0f-762b-97df-e5c69821924e', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:36.764Z","data":{"eventId":"01a20dce-0b0f-762b-97df-e5c69821924e","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0b51-7476-a313-20b718ffe50d', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:36.815Z","data":{"eventId":"01a20dce-0b51-7476-a313-20b718ffe50d","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk","providerClientId":"assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0bad-7ca5-a98b-ec92703bda7d', '', '{"type":"client.updated","timestamp":"2026-11-24T13:45:36.910Z","data":{"eventId":"01a20dce-0bad-7ca5-a98b-ec92703bda7d","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk","providerClientId":"assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["publicKey"],"actor":"vera"}}', ''),
	('01a20dce-0bb6-766c-bb28-c5cbaa04f64f', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:36.945Z","data":{"eventId":"01a20dce-0bb6-766c-bb28-c5cbaa04f64f","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw","name":"refused","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0bdb-73de-bdb4-92e258519457', '', '{"type":"client.failed","timestamp":"2026-11-24T13:45:36.971Z","data":{"eventId":"01a20dce-0bdb-73de-bdb4-92e258519457","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"TjbkWdoU8h5cudvQOGSUsgzUqU9rwx5w0T_y9F5YZzw","name":"refused","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"provider_refused","actor":"vera"}}', ''),
	('01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.009Z","data":{"eventId":"01a20dce-0bf4-7ae8-ba59-b56fd8ad31a5","sequence":1,"partnerId":"bank","client":{"clientId":"of-the-provider","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0e58-7122-a6d4-7c44de53cb7c', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.623Z","data":{"eventId":"01a20dce-0e58-7122-a6d4-7c44de53cb7c","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0e80-7897-8e42-b9dcf56c537f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:37.638Z","data":{"eventId":"01a20dce-0e80-7897-8e42-b9dcf56c537f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0","providerClientId":"assigned-FDZUZM56THRJRGUWZBBLNTLKKF","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0ed9-7d59-899f-f781bb4a273f', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.754Z","data":{"eventId":"01a20dce-0ed9-7d59-899f-f781bb4a273f","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:d921c2b1fbd87352"}}', ''),
	('01a20dce-10e1-749c-b997-85f51a7beb15', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.245Z","data":{"eventId":"01a20dce-10e1-749c-b997-85f51a7beb15","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0c25-76dd-b60c-17a9e263fc5f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:37.045Z","data":{"eventId":"01a20dce-0c25-76dd-b60c-17a9e263fc5f","sequence":2,"partnerId":"bank","client":{"clientId":"of-the-provider","providerClientId":"assigned-WWN27RPRYAEUGLJ7G5WKB5QSYA","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0c32-7192-b4d1-214f49fe75b9', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.073Z","data":{"eventId":"01a20dce-0c32-7192-b4d1-214f49fe75b9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"hEsTryjX2A_NwB-AV_dIgwkLJDpkx0BuyGPPukW3x7I","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.473Z","data":{"eventId":"01a20dce-0dc7-7a02-8d05-9aefe7f4a5dc","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0e1d-70b7-9b73-92252887adca', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:37.530Z","data":{"eventId":"01a20dce-0e1d-70b7-9b73-92252887adca","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk","providerClientId":"assigned-43VPGAO32PVJYB3LBCY7ZPUL4L","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0ee0-7002-83da-1f0ef07382d3', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:37.758Z","data":{"eventId":"01a20dce-0ee0-7002-83da-1f0ef07382d3","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU","providerClientId":"assigned-5J7S4FVQF5P5GYHCRR5YFUC322","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"initial access token:d921c2b1fbd87352"}}', ''),
	('01a20dce-0f11-74a9-bd3d-c58e0a464ffc', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:37.771Z","data":{"eventId":"01a20dce-0f11-74a9-bd3d-c58e0a464ffc","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-0fe9-749c-ad36-b083c3df04fa', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.006Z","data":{"eventId":"01a20dce-0fe9-749c-ad36-b083c3df04fa","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-10be-7b66-91e4-f1aac577683a', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:38.212Z","data":{"eventId":"01a20dce-10be-7b66-91e4-f1aac577683a","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko","providerClientId":"assigned-VKUWLYNN465NQ2HJQZWL4C46AG","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"oidc-registrar"}}', ''),
	('01a20dce-113b-72c8-93e8-1c2cc1e64ff8', '', '{"type":"client.failed","timestamp":"2026-11-24T13:45:38.338Z","data":{"eventId":"01a20dce-113b-72c8-93e8-1c2cc1e64ff8","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"lumkbPJTRtXmkrUYRwB9fKWqWF5x753AFXPipeM1z5E","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"reason":"not_approved","actor":"oidc-registrar"}}', ''),
	('01a20dce-1186-7326-bec2-9b4eb4378359', '', '{"type":"client.failed","timestamp":"2026-11-24T13:45:38.408Z","data":{"eventId":"01a20dce-1186-7326-bec2-9b4eb4378359","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"18pLDxsv-MZpqICnwQFHCxSBIRD4dkwqxEowMjZFhJY","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-11bf-7ce9-9c1f-2532ca05c094', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.461Z","data":{"eventId":"01a20dce-11bf-7ce9-9c1f-2532ca05c094","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-1291-7441-a779-1dfac8e376e2', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.694Z","data":{"eventId":"01a20dce-1291-7441-a779-1dfac8e376e2","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-12d8-7006-a635-1f2ba90d2a46', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:38.737Z","data":{"eventId":"01a20dce-12d8-7006-a635-1f2ba90d2a46","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA","providerClientId":"assigned-KDDO4B5PQRPARZLLBAUVQWLQZP","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-12dc-7c2c-ac9a-c07a57d64bb9', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.778Z","data":{"eventId":"01a20dce-12dc-7c2c-ac9a-c07a57d64bb9","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-135b-72eb-8f30-196b1fdd7dbf', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:38.879Z","data":{"eventId":"01a20dce-135b-72eb-8f30-196b1fdd7dbf","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0","providerClientId":"assigned-JRXXRSBYCCHYOIQ4MEV6HFUI63","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-1305-7225-ae6c-3c8d1f4222d1', '', '{"type":"client.activated","timestamp":"2026-11-24T13:45:38.816Z","data":{"eventId":"01a20dce-1305-7225-ae6c-3c8d1f4222d1","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo","providerClientId":"assigned-WAXHN5WUQUHMRHZVQJ5742HHQ4","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dce-1327-764f-8edb-7cf8e4afb1ee', '', '{"type":"client.registered","timestamp":"2026-11-24T13:45:38.850Z","data":{"eventId":"01a20dce-1327-764f-8edb-7cf8e4afb1ee","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dcf-67e5-72a3-8749-02ad0eeeea5a', '', '{"type":"client.registered","timestamp":"2026-11-24T13:47:06.084Z","data":{"eventId":"01a20dcf-67e5-72a3-8749-02ad0eeeea5a","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dcf-684f-7039-bc98-b5b2c4e1380f', '', '{"type":"client.activated","timestamp":"2026-11-24T13:47:06.114Z","data":{"eventId":"01a20dcf-684f-7039-bc98-b5b2c4e1380f","sequence":2,"partnerId":"bank","policyId":"free","client":{"clientId":"gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk","providerClientId":"assigned-CELMXQG3P4JSUXT7USPDLJB57M","name":"ok","status":"ACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dcf-691b-7b45-815e-e209f71a761f', '', '{"type":"client.deactivated","timestamp":"2026-11-24T13:47:06.321Z","data":{"eventId":"01a20dcf-691b-7b45-815e-e209f71a761f","sequence":3,"partnerId":"bank","policyId":"free","client":{"clientId":"gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk","providerClientId":"assigned-CELMXQG3P4JSUXT7USPDLJB57M","name":"ok","status":"INACTIVE","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"changed":["status"],"actor":"vera"}}', ''),
	('01a20dcf-b8e2-7070-aed0-a8c008810d40', '', '{"type":"client.registered","timestamp":"2026-11-24T13:47:26.812Z","data":{"eventId":"01a20dcf-b8e2-7070-aed0-a8c008810d40","sequence":1,"partnerId":"bank","policyId":"free","client":{"clientId":"T-7Mm82E3JBR2kOdxsFqG61lkNTxxiWLY6jKTe9fZrA","name":"down","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dcf-ba59-7c63-965a-b69434787608', '', '{"type":"client.registered","timestamp":"2026-11-24T13:47:27.172Z","data":{"eventId":"01a20dcf-ba59-7c63-965a-b69434787608","sequence":0,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"qkQaRah7Bcn9TSvs2QeZrYuc_KY0N9Dqc6K8NMjGut4","name":"ok","status":"PENDING","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', ''),
	('01a20dcf-bac4-72cd-a004-7b76ac73c20c', '', '{"type":"client.failed","timestamp":"2026-11-24T13:47:27.206Z","data":{"eventId":"01a20dcf-bac4-72cd-a004-7b76ac73c20c","sequence":2,"partnerId":"bank","policyId":"reviewed","client":{"clientId":"xX-XSYWhbfbAOUNch0n-w_0o9NUxhHAV5ncj_OLNI7I","name":"ok","status":"FAILED","logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:generated-code"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]},"actor":"vera"}}', '');

INSERT INTO public.outbox VALUES
	('01a20dcf-691b-7bcc-b8e4-3fe192f5b666', '01a20dce-07fa-74a9-83e9-a42755f9c677', 1795528026321, 1, 2, '01a20dcf-6cef-7cfa-9b6d-7ccbe25475c1', 1795528046733),
	('01a20dce-0af5-75f7-bfd4-85123988f646', '01a20dce-07fa-74a9-83e9-a42755f9c677', 1795528324473, 1, 2, '', 0),
	('01a20dce-0a47-7d9a-9720-8dd071f46a20', '01a20dce-07fa-74a9-83e9-a42755f9c677', 1795528327417, 1, 2, '', 0);

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
	('01a20dce-06b1-71ed-a678-82c369258774', 'vm', 'dev', 1795527935675, 1795528025437),
	('01a20dcf-6cef-7cfa-9b6d-7ccbe25475c1', 'vm', 'dev', 1795528027401, 1795528047342);

INSERT INTO public.provider_record VALUES
	('0bncCsHWsmDUUu3XMLLBMzVwO2hDc_lmcR5ow4U89yI', 'assigned-53ODIYWGWAGJQH35VTIIXZ3R45', 'http://127.0.0.1:18476/register/assigned-53ODIYWGWAGJQH35VTIIXZ3R45', 'dump:gBsUkSr6V93Iap7AxqWWFFEA9wV_y-jwvDiLkqVDNS8JGP6GlOJGyDrGC4UJlKYzHNcigEX7BleCH_emsK6fLI5qHUGW'),
	('9dNl-ZvH-qNK_2uecwGB-Faij1H1B9gF_ILU2jbjE04', 'assigned-PBMGGZNRLOX33INKHENV3DLC2S', 'http://127.0.0.1:18476/register/assigned-PBMGGZNRLOX33INKHENV3DLC2S', 'dump:1a7Nf778Pd4oEVTbQ1LpOqM3vwD1Q6kcR4GfQWuQOfdYoOyS2C5_zu81bvexn40YYcO6aYuNm1tjJ4W9fzPnY1oX1cZz'),
	('mUkrL_5c4635uRRSKdCPXk6YcouVxwYGKP3222w24ac', 'assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ', 'http://127.0.0.1:18476/register/assigned-YJ2BAFLXXRCX76TRCVNUYNV6RZ', 'dump:Od1RyuSaj7YSn5B4GdyUG7TrBRafFrY7yssohZLsoBySWmkaq86YYlLxs_5COQp29mSAAn3lkDieGWdDHFfJiBou_RG0'),
	('4wuojWSgLkjl5dxJ27Y89X--2ddrnOHlA8Oq25XvBlk', 'assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG', 'http://127.0.0.1:18476/register/assigned-IKNCGHNWHLP2NIM4GJ6F7KHMZG', 'dump:-y2un4uHWauEKQrqcGbUEiTWEkkgEtTs5HpTIEgsQCFY7p8eGhF0OYGg7-BLbcMHcvFMe7QkFWD0BEgl4Wbev-A8GgPZ'),
	('of-the-provider', 'assigned-WWN27RPRYAEUGLJ7G5WKB5QSYA', 'http://127.0.0.1:18476/register/assigned-WWN27RPRYAEUGLJ7G5WKB5QSYA', 'dump:DjBC2v0xasBIgmU9MqcfoVl3XpXnbfiMrQNIMmZoaYbwoLw0YYjGlPhfauy6Q33NVZKNvkMmKZmYjhg8Ne5CArUqhv2T'),
	('6gqPDq6XGtn8c8KaKv3tG3oO2p2nPPiL7r9JFxAnzbk', 'assigned-43VPGAO32PVJYB3LBCY7ZPUL4L', 'http://127.0.0.1:18476/register/assigned-43VPGAO32PVJYB3LBCY7ZPUL4L', 'dump:sm8PYraNfq7vDtkAQjZh34DVjdnxYfoiudT3q-TnvAoTio2zSet41a40CB0fihLK-We4j1SHGc-crdSDFNbTI9mcub5S'),
	('2mU-IPWMgkMyizZAgCVe7GneArQ-0CB6Yl_OL_858w0', 'assigned-FDZUZM56THRJRGUWZBBLNTLKKF', 'http://127.0.0.1:18476/register/assigned-FDZUZM56THRJRGUWZBBLNTLKKF', 'dump:9XDe1aS9RH3JgIspxJjtpfEsMJb-gna0N-AVga8z5JC964wQ71p68JUMYSr2pMYDxECnNXn6y_0yW-Q8YddGM7GS-O9p'),
	('iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU', 'assigned-5J7S4FVQF5P5GYHCRR5YFUC322', 'http://127.0.0.1:18476/register/assigned-5J7S4FVQF5P5GYHCRR5YFUC322', 'dump:QxTQfw4w_ZUCrlzyIyKf6kVkEqpaldXDZYi4BkscIgegdrMoC0IiJ3M9QZzRcYhQg0_qe-ea7l5CUshGj_qbr4sySkv4'),
	('ET-9HxRDuze8tw_YxLYOOIKdc3i-aFYVYR5grODLOko', 'assigned-VKUWLYNN465NQ2HJQZWL4C46AG', 'http://127.0.0.1:18476/register/assigned-VKUWLYNN465NQ2HJQZWL4C46AG', 'dump:ic9KldEleav4FjlC-5G-u5An7PW_BsNOwxqgm_mJcp9bg9W65R12dFiO2Mzlkj4XFEiBHOk8YCsekXqv7aNBi3yse64Y'),
	('rF-6P1QXSRcJG2U1JFmSrnsLhMVo7oms2_1K7JbzLRA', 'assigned-KDDO4B5PQRPARZLLBAUVQWLQZP', 'http://127.0.0.1:18476/register/assigned-KDDO4B5PQRPARZLLBAUVQWLQZP', 'dump:kaL-kEIasl2eMGwazyiQuu2_VtKG1D9ftIdZZafRgTYB69tpF952WrKERV3MMFEeyVYInNNdUThqjv2xgv8bOKAcKxVI'),
	('67HotDGIbRIGYjyGFJRluwxIxDBsI9ceismGYl3s0zo', 'assigned-WAXHN5WUQUHMRHZVQJ5742HHQ4', 'http://127.0.0.1:18476/register/assigned-WAXHN5WUQUHMRHZVQJ5742HHQ4', 'dump:xiMFN-CgEfpF2gDyQ4D7NuV_KlghLgynArVwVcZoVwRYYdvV_X_8EyocAdeUsbqKhxqibOXonOICjZ5EYJ5tcaYaG-uu'),
	('x8Lmnr97MMDMvCPek2Zdu0_k9zAZlBwuDJcSTIHZBl0', 'assigned-JRXXRSBYCCHYOIQ4MEV6HFUI63', 'http://127.0.0.1:18476/register/assigned-JRXXRSBYCCHYOIQ4MEV6HFUI63', 'dump:fCLYn495aiHjS0TQ7zTXZU9f5lmNj61Pi_UK18dPqE9sOOidMkUZkvuyjJWgqRe2aWy3id3ir0hIBur0kLg0uHYUBLQV'),
	('gAkVYIsx-xgron06psqYaK3q1fb7vltpHcxebYdCPXk', 'assigned-CELMXQG3P4JSUXT7USPDLJB57M', 'http://127.0.0.1:18476/register/assigned-CELMXQG3P4JSUXT7USPDLJB57M', 'dump:flfQKA3LwBEZyokSE82J77kN77-RSVcr9J7n25rLb7VB_TlnNcpXWfhyb8gJLOS46TkB6GyDXj_e4Yhxbw2SA5qe5psW');

INSERT INTO public.reconciliation VALUES
	('provider', '', 1795527939703, 1795527939703);

INSERT INTO public.registration_token VALUES
	('43a3d14d7e83e04d0fc8ccdc88be528e98ee34dc3a09735b851e77987a004654', 'iSufiM6scoT2BfJK3a8Gi5Rs23WlbbPfHujVV4ZdcdU');

INSERT INTO public.service_key VALUES
	('cursor', 'X9fZJebhrHxFCASZ6Sa7VxaW3B4fGx6qhSpKvh7PPpw=');

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

