package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountMapping registers the operations on mapping requests, in the form of partner management 1.3.
func (a *API) mountMapping() {
	const base = "/v1/partnermanager"
	handle(a, operation{"requestMapping", post, base + "/partners/{partnerId}/policy/map", partners, 200, nil,
		"Request the mapping of a policy to a partner"}, a.requestMapping)
	handle(a, operation{"decideMapping", put, base + "/partners/policy/{mappingKey}", admins, 200, nil,
		"Approve or reject a mapping request"}, a.decideMapping)
	handle(a, operation{"listMappingRequests", get, base + "/partner-policy-requests", partners, 200, nil,
		"List mapping requests by page number; a partner sees its own"}, a.listMappingRequests)
}

type mapRequest struct {
	PolicyName string `json:"policyName,omitempty" doc:"Name of the policy."`
	PolicyID   string `json:"policyId,omitempty" doc:"Identifier of the policy; needed if several have the name."`
	UseCase    string `json:"useCaseDescription" doc:"Why the partner needs the policy, 1 to 4,000 characters."`
}

type requestMappingInput struct {
	PartnerPath
	Body requestBody[mapRequest]
}

// mappingRequestView is the reply to a request for a mapping.
type mappingRequestView struct {
	Key     string `json:"mappingkey" doc:"Key of the request."`
	Message string `json:"message" doc:"Text for people."`
}

func (a *API) requestMapping(ctx context.Context, in *requestMappingInput) (mappingRequestView, error) {
	body := in.Body.Request
	r, err := a.registrar.Catalog.RequestMapping(ctx, callerOf(ctx), registrar.MappingRequest{
		PartnerID: in.PartnerID, PolicyID: body.PolicyID, UseCase: body.UseCase,
	}, body.PolicyName)
	return mappingRequestView{r.Key, "Policy mapping request submitted successfully"}, err
}

type mappingDecision struct {
	Status  string `json:"status" doc:"Approved or Rejected, in any letter case."`
	Comment string `json:"comment,omitempty" doc:"Reason, for the partner."`
}

type decideMappingInput struct {
	Key  string `path:"mappingKey" doc:"Key of the request."`
	Body requestBody[mappingDecision]
}

func (a *API) decideMapping(ctx context.Context, in *decideMappingInput) (string, error) {
	d := in.Body.Request
	r, err := a.registrar.Catalog.DecideMapping(ctx, callerOf(ctx), in.Key, d.Status, d.Comment)
	return "Policy mapping " + string(r.State) + " successfully", err
}

type listMappingRequestsInput struct {
	PartnerID   string `query:"partnerId" maxLength:"256" doc:"Part of the partner's id, in any letter case."`
	OrgName     string `query:"orgName" maxLength:"256" doc:"Part of the partner's name."`
	PartnerType string `query:"partnerType" maxLength:"256" doc:"Part of the partner's type."`
	PolicyID    string `query:"policyId" maxLength:"256" doc:"Part of the policy's id."`
	PolicyName  string `query:"policyName" maxLength:"256" doc:"Part of the policy's name."`
	Comment     string `query:"partnerComment" maxLength:"256" doc:"Part of the description of the use case."`
	Status      string `query:"status" doc:"InProgress, approved or rejected."`
	NumberedPaging
}

type listedMappingView struct {
	Key           string                 `json:"id" doc:"Key of the request."`
	PartnerID     string                 `json:"partnerId" doc:"Partner that asks."`
	OrgName       string                 `json:"orgName" doc:"Name of the partner."`
	PartnerType   string                 `json:"partnerType" doc:"Type of the partner."`
	PartnerStatus registrar.EntryStatus  `json:"partnerStatus" doc:"Status of the partner."`
	PolicyID      string                 `json:"policyId" doc:"Policy of the request."`
	PolicyName    string                 `json:"policyName" doc:"Name of the policy."`
	Status        registrar.MappingState `json:"status" doc:"State of the request."`
	UseCase       string                 `json:"partnerComment" doc:"The partner's description of the use case."`
	Comment       string                 `json:"comment,omitempty" doc:"Comment of the decision."`
	CreatedAt     envelope.Time          `json:"createdDateTime" doc:"Time of the request."`
	UpdatedAt     envelope.Time          `json:"updatedDateTime" doc:"Time of the decision, or of the request."`
}

func (a *API) listMappingRequests(
	ctx context.Context, in *listMappingRequestsInput,
) (numberedPage[listedMappingView], error) {
	var out numberedPage[listedMappingView]
	numbered, wrong := in.parse(registrar.MappingSorts)
	state := registrar.MappingState(in.Status)
	if wrong == nil && state != "" && !slices.Contains(state.Values(), state) {
		wrong = &problem{badParameter, "Invalid request parameter - must be InProgress, approved or rejected :status"}
	}
	if wrong != nil {
		return out, a.refuse(ctx, http.StatusOK, mappingAPI, nil, registrar.InvalidRequest, *wrong)
	}
	rows, total, err := a.registrar.Catalog.ListMappingRequests(ctx, callerOf(ctx), registrar.MappingList{
		PartnerID: in.PartnerID, PartnerName: in.OrgName, PartnerType: in.PartnerType, PolicyID: in.PolicyID,
		PolicyName: in.PolicyName, UseCase: in.Comment, State: state, Numbered: numbered,
	})
	return newNumberedPage(rows, total, numbered, func(r registrar.ListedMapping) listedMappingView {
		return listedMappingView{
			r.Key, r.PartnerID, r.PartnerName, r.PartnerType, r.PartnerStatus, r.PolicyID, r.PolicyName, r.State, r.UseCase,
			r.Comment, envelope.Time{Time: r.CreatedAt}, envelope.Time{Time: r.UpdatedAt},
		}
	}), err
}

// NumberedPaging holds the parameters of the lists of partner management, with numbered pages. It is exported for the
// same reason as Paging.
type NumberedPaging struct {
	SortField string `query:"sortFieldName" doc:"Member of the items to sort by; needs sortType and a page."`
	SortType  string `query:"sortType" doc:"ASC or DESC"`
	PageNo    string `query:"pageNo" doc:"Number of the page, from 0; needs pageSize."`
	PageSize  string `query:"pageSize" doc:"Items on a page, 1 to 200."`
}

// largestPage is the maximum page size, and the size of a list without a page number.
const largestPage = 200

// parse returns the page and the order, or the first problem. Without an order the newest come first.
func (in NumberedPaging) parse(sorts []string) (registrar.Numbered, *problem) {
	n := registrar.Numbered{Sort: registrar.SortCreated, Descending: true, Size: largestPage}
	wrong := func(code, message string) (registrar.Numbered, *problem) { return n, &problem{code, message} }
	if (in.PageNo == "") != (in.PageSize == "") {
		return wrong("PMS_PS_ERROR_006", "pageNo and pageSize go together")
	}
	if (in.SortField == "") != (in.SortType == "") {
		return wrong("PMS_PS_ERROR_007", "sortFieldName and sortType go together")
	}
	if in.SortField != "" {
		n.Sort, n.Descending = in.SortField, in.SortType == "DESC"
		switch {
		case in.PageNo == "":
			return wrong("PMS_PS_ERROR_008", "sorting needs pageNo and pageSize")
		case !slices.Contains(sorts, n.Sort):
			return wrong("PMS_PRT_357", "sortFieldName is no field to sort by")
		case in.SortType != "ASC" && in.SortType != "DESC":
			return wrong("PMS_PRT_358", "sortType must be ASC or DESC")
		}
	}
	if in.PageNo != "" {
		var err error
		if n.Page, err = strconv.Atoi(in.PageNo); err != nil || n.Page < 0 || n.Page > 1_000_000 {
			return wrong("PMS_PRT_360", "pageNo must be a number from 0")
		}
		if n.Size, err = strconv.Atoi(in.PageSize); err != nil || n.Size < 1 || n.Size > largestPage {
			return wrong("PMS_PRT_361", "pageSize must be a number from 1 to 200")
		}
	}
	return n, nil
}

// numberedPage is a page of a list, by its number.
type numberedPage[T any] struct {
	PageNo       int   `json:"pageNo" doc:"Number of the page, from 0."`
	PageSize     int   `json:"pageSize" doc:"Items on a page at most."`
	TotalResults int64 `json:"totalResults" doc:"Items on all pages."`
	Data         []T   `json:"data" doc:"The items of this page."`
}

func newNumberedPage[V, T any](rows []V, total int64, n registrar.Numbered, view func(V) T) numberedPage[T] {
	out := numberedPage[T]{n.Page, n.Size, total, make([]T, len(rows))}
	for i, r := range rows {
		out.Data[i] = view(r)
	}
	return out
}
