package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// script is a pgbench script that does again what a service sent once.
type script struct {
	text      string
	variables []string // NAME=VALUE, for pgbench -D: the arguments that stay the same

	statements int // that the service sent
	trips      int // in so many round trips
}

// writer writes scripts. Those of one writer fit together: what one creates under
// some transaction number, the next finds under the same number.
type writer struct {
	conn   *pgx.Conn
	unique map[string]int // arguments that differ with every call, by value
	wait   time.Duration  // for somebody else, after the first transaction
}

// perCall is how many unique arguments the scripts of a writer may have.
const perCall = 100

// isUUID tells the ids that a service makes up.
var isUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// script returns the statements as a script. In it, as in the service, statements
// are prepared and arguments travel apart. An argument that is a UUID or among names
// is made from the number of the transaction; the others are as they were recorded.
func (w *writer) script(ctx context.Context, statements []statement, names []string) (script, error) {
	if len(statements) == 0 {
		return script{}, errors.New("no statement was recorded")
	}
	var s script
	var body strings.Builder
	waited := false
	trips := map[[2]int]bool{}
	used := map[int]bool{}
	for n, st := range statements {
		trips[[2]int{st.conn, st.trip}] = true
		args, oids, err := w.texts(ctx, st)
		if err != nil {
			return script{}, fmt.Errorf("%s: %w", st.sql, err)
		}
		sql := placeholder.ReplaceAllStringFunc(st.sql, func(dollar string) string {
			i, notANumber := strconv.Atoi(dollar[1:])
			if notANumber != nil || i < 1 || i > len(args) {
				err = fmt.Errorf("no argument for %s", dollar)
				return dollar
			}
			switch arg := args[i-1]; {
			case arg == nil:
				return "NULL"
			case *arg == "": // pgbench has no empty variables
				return "''"
			case isUUID.MatchString(*arg) || slices.Contains(names, *arg):
				return w.number(*arg, oids[i-1], used)
			default:
				name := fmt.Sprintf("c%d_%d", n, i)
				s.variables = append(s.variables, name+"="+*arg)
				return ":" + name
			}
		})
		if err != nil {
			return script{}, fmt.Errorf("%s: %w", st.sql, err)
		}
		body.WriteString(sql + ";\n")
		if w.wait > 0 && !waited && strings.HasPrefix(strings.ToUpper(sql), "COMMIT") {
			fmt.Fprintf(&body, "\\sleep %d us\n", w.wait.Microseconds())
			waited = true
		}
		s.statements += 1 + strings.Count(strings.TrimRight(sql, "; \n"), ";") // BEGIN; SELECT … is two
	}
	if w.wait > 0 && !waited {
		return script{}, errors.New("one transaction, and so nowhere to wait")
	}
	s.trips = len(trips)
	if len(w.unique) > perCall {
		return script{}, fmt.Errorf("%d unique arguments; a script can have %d", len(w.unique), perCall)
	}

	var head strings.Builder
	head.WriteString("\\set tx :base + :done * :clients + :client_id\n\\set done :done + 1\n")
	for _, n := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&head, "\\set u%[2]d :tx * %[1]d + %[2]d\n", perCall, n)
	}
	s.text = head.String() + body.String()
	return s, nil
}

// placeholder is where an argument goes.
var placeholder = regexp.MustCompile(`\$[0-9]+`)

// digits is how long a number can be: lpad would cut a longer one off.
const digits = 19

// number is an expression that is different in every transaction and as long as the
// value. A UUID of decimal digits is a UUID.
func (w *writer) number(value string, oid uint32, used map[int]bool) string {
	n, known := w.unique[value]
	if !known {
		n = len(w.unique)
		w.unique[value] = n
	}
	used[n] = true
	if oid == pgtype.UUIDOID {
		return fmt.Sprintf("lpad(:u%d::text, 32, '0')::uuid", n)
	}
	return fmt.Sprintf("lpad(:u%d::text, %d, '0')", n, max(len(value), digits))
}

// texts returns the arguments of a statement as text, nil for NULL, and their types.
func (w *writer) texts(ctx context.Context, st statement) ([]*string, []uint32, error) {
	if len(st.args) == 0 {
		return nil, nil, nil
	}
	description, err := w.conn.PgConn().Prepare(ctx, "", st.sql, nil)
	if err != nil {
		return nil, nil, err
	}
	texts := make([]*string, len(st.args))
	for i, arg := range st.args {
		if arg == nil {
			continue
		}
		text := string(arg)
		if st.format(i) == pgtype.BinaryFormatCode {
			kind, known := w.conn.TypeMap().TypeForOID(description.ParamOIDs[i])
			if !known {
				return nil, nil, fmt.Errorf("argument %d is of an unknown type", i+1)
			}
			value, err := kind.Codec.DecodeDatabaseSQLValue(w.conn.TypeMap(), kind.OID, pgtype.BinaryFormatCode, arg)
			if err != nil {
				return nil, nil, fmt.Errorf("argument %d: %w", i+1, err)
			}
			text = fmt.Sprint(value)
		}
		texts[i] = &text
	}
	return texts, description.ParamOIDs, nil
}

// format is the format of an argument: one code may stand for all, none for text.
func (st statement) format(i int) int16 {
	switch len(st.formats) {
	case 0:
		return pgtype.TextFormatCode
	case 1:
		return st.formats[0]
	default:
		return st.formats[i]
	}
}
