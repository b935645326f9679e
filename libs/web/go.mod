module github.com/countersign/countersign/libs/web

go 1.26.0

require (
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/danielgtaylor/huma/v2 v2.39.0
	github.com/labstack/echo/v4 v4.16.0
)

replace github.com/countersign/countersign/libs/strictjson => ../strictjson
