package idp

import (
	"context"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Local is the connector of a provider that reads its clients from this service. A stored client is
// usable immediately, so there are no calls.
type Local struct{}

// Register does nothing.
func (Local) Register(context.Context, registrar.Client, registrar.Prior) (registrar.ProviderRecord, error) {
	return registrar.ProviderRecord{}, nil
}

// Update does nothing.
func (Local) Update(_ context.Context, _ registrar.Client, record registrar.ProviderRecord, _ registrar.Prior) (registrar.ProviderRecord, error) {
	return record, nil
}

// Abilities omits reading: the provider reads its clients here.
func (Local) Abilities() Abilities {
	return Abilities{ChangesKeys: true, RemovesEncKey: true, EnforcesPKCE: true, Names: AllNames, Metadata: registrar.MetadataNames,
		Unreadable: "the identity provider reads its clients from this service, so there is nothing to compare"}
}

// Read finds no difference.
func (Local) Read(_ context.Context, _ registrar.Client, record registrar.ProviderRecord) (registrar.Difference, registrar.ProviderRecord, error) {
	return registrar.Difference{}, record, nil
}

// Check returns nil: there is no provider.
func (Local) Check(context.Context) error { return nil }

// Remove does nothing.
func (Local) Remove(context.Context, registrar.Client, registrar.ProviderRecord, registrar.Prior) (registrar.Prior, error) {
	return registrar.PriorNone, nil
}
