package jsonrpc_test

import (
	"fmt"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// timed returns a fault that changes the blockTimestamp of each log from a block on, given its
// block's time.
func timed(from uint64, edit func(time uint64) any) chaintest.Fault {
	const hex = "0x%x"
	return chaintest.OfLogs(func(log map[string]any) {
		var number, time uint64
		fmt.Sscanf(log["blockNumber"].(string), hex, &number)
		fmt.Sscanf(log["blockTimestamp"].(string), hex, &time)
		if number >= from {
			log["blockTimestamp"] = edit(time)
		}
	})
}

// TestTimes_Logs reads ranges whose logs have wrong block times. A time that is 0 or malformed
// counts as missing. One that contradicts a header marks the endpoint, whose times are not used
// again.
func TestTimes_Logs(t *testing.T) {
	t.Parallel()
	value := func(v any) func(uint64) any { return func(uint64) any { return v } }
	for name, test := range map[string]struct {
		edit   func(time uint64) any
		caught bool
	}{
		"0x0":                {value("0x0"), false},
		"0":                  {value(0), false},
		"text 0":             {value("0"), false},
		"0x":                 {value("0x"), false},
		"null":               {value(nil), false},
		"empty text":         {value(""), false},
		"negative":           {value(-1), false},
		"a date":             {value("2020-09-13T12:26:40Z"), false},
		"true":               {value(true), false},
		"an object":          {value(map[string]any{}), false},
		"a fraction":         {func(time uint64) any { return float64(time) + 0.5 }, false},
		"2^53":               {value("0x20000000000000"), false},
		"a number":           {func(time uint64) any { return time }, false},
		"decimal text":       {func(time uint64) any { return fmt.Sprint(time) }, false},
		"milliseconds":       {func(time uint64) any { return fmt.Sprintf("%#x", 1000*time) }, true},
		"nanoseconds, below": {func(time uint64) any { return fmt.Sprintf("%#x", time*1_000_000%(1<<53)) }, true},
		"1":                  {value("0x1"), true},
		"one second later":   {func(time uint64) any { return fmt.Sprintf("%#x", time+1) }, true},
		"the block before's": {func(time uint64) any { return fmt.Sprintf("%#x", time-12) }, true},
		"the first block's":  {value("0x5f5e100c"), true},
	} {
		for _, from := range []uint64{0, 9} {
			t.Run(fmt.Sprintf("%s from block %d", name, from), func(t *testing.T) {
				node := filled(t, chaintest.NodeOptions{}, 16)
				fault := timed(from, test.edit)
				if test.caught {
					checkCaught(t, node, unsampled(), fault, chaintest.Method("eth_getLogs"), 1, 16)
				}
				node.Break(0, fault, chaintest.Method("eth_getLogs"))
				c := dial(t, unsampled(), node.URL)
				checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 16))
				expect.Equal(t, "caught", test.caught, c.Health()[0].LeavesOut)
				// The times are right from now on, but they are not asked for.
				node.ClearFaults()
				before := node.Calls("eth_getLogs")
				checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 16))
				expect.Equal(t, "caught again", test.caught, node.Calls("eth_getLogs") == before)
			})
		}
	}
}

// TestTimes_Middle has one block in the middle of a range whose time is wrong. If it is between
// those of its neighbours, only a sample shows it.
func TestTimes_Middle(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 16)
	right := node.Blocks()[9].Header.Time
	for name, test := range map[string]struct {
		wrong   uint64
		between bool
	}{
		"a second before":  {right - 1, true},
		"a second after":   {right + 1, true},
		"the next block's": {right + 12, true},
		"before the range": {right - 1000, false},
		"a year before":    {right - 365*86_400, false},
		"after the range":  {right + 1000, false},
		"milliseconds":     {right * 1000, false},
	} {
		t.Run(name, func(t *testing.T) {
			fault := chaintest.Replace(fmt.Sprintf(`"blockTimestamp":"%#x"`, right), fmt.Sprintf(`"blockTimestamp":"%#x"`, test.wrong))
			// In ranges alone, and in each answer.
			for _, when := range []func(chaintest.Call) bool{byRange, chaintest.Method("eth_getLogs")} {
				o := lieOptions()
				if !test.between {
					o = unsampled()
				}
				checkCaught(t, node, o, fault, when, 1, 16)
			}
		})
	}
}
