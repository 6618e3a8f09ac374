package admit

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// TestQuotas_Random spends random costs of a few clients, and compares the results with sums.
// Over any interval, a client gets at most its quota plus what refills in the interval.
// Affordable costs are never rejected, and the returned times are exact to one unit.
func TestQuotas_Random(t *testing.T) {
	const quota = 600 // 10 a second
	random := rand.New(rand.NewPCG(1, 2))
	q, now := newQuotas(10), time.Unix(1_700_000_000, 0)
	tokens, seen := map[byte]float64{}, map[byte]time.Time{}
	refused := 0
	for range 20_000 {
		now = now.Add(time.Duration(random.Int64N(int64(4 * time.Second))))
		client, cost := byte(random.IntN(5)), random.IntN(random.IntN(quota)+1)
		has := float64(quota)
		if at, known := seen[client]; known {
			has = min(quota, tokens[client]+now.Sub(at).Seconds()*quota/60)
		}
		left, full, wait := q.spend(clientNumber(client), quota, cost, cost, now)
		if spent := wait == 0; spent != (float64(cost) <= has) && max(has-float64(cost), float64(cost)-has) > 1e-6 {
			t.Fatalf("cost %d of %f: rejected for %s", cost, has, wait)
		} else if spent {
			has -= float64(cost)
		} else {
			refused++
			if more := wait.Seconds() * quota / 60; max(has+more-float64(cost), float64(cost)-has-more) > 1e-3 {
				t.Fatalf("cost %d of %f: wait %s", cost, has, wait)
			}
		}
		if float64(left) > has+1e-6 || float64(left) < has-1-1e-6 {
			t.Fatalf("%d left, want %f", left, has)
		}
		if more := full.Seconds() * quota / 60; max(has+more-quota, quota-has-more) > 1e-3 {
			t.Fatalf("%f left: full after %s", has, full)
		}
		tokens[client], seen[client] = has, now
	}
	if refused < 1_000 || refused > 19_000 {
		t.Errorf("%d of 20000 were rejected", refused)
	}
}

// TestQuotas_Bound checks that only the least recently seen client is forgotten.
func TestQuotas_Bound(t *testing.T) {
	q, now := newQuotas(1_000), time.Unix(0, 0)
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }
	for i := range 1_000 {
		q.spend(address(i), 10, 10, 10, now)
	}
	q.spend(address(0), 10, 1, 1, now)
	for i := 1_000; i < 1_500; i++ {
		q.spend(address(i), 10, 10, 10, now)
	}
	if len(q.entries) != 1_000 || q.order.Len() != 1_000 {
		t.Errorf("%d clients are known in %d buckets", len(q.entries), q.order.Len())
	}
	for i, want := range map[int]int{0: 0, 501: 0, 999: 0, 1_499: 0} {
		if left, _, _ := q.spend(address(i), 10, 0, 0, now); left != want {
			t.Errorf("client %d has %d left, want %d", i, left, want)
		}
	}
	if left, _, _ := q.spend(address(500), 10, 0, 0, now); left != 10 {
		t.Errorf("the client that was seen longest ago has %d left", left)
	}
}

// TestQuotas_Changed checks that a new quota applies to the remaining units.
func TestQuotas_Changed(t *testing.T) {
	q, now := newQuotas(10), time.Unix(0, 0)
	q.spend(clientNumber(1), 600, 500, 500, now)
	if left, full, _ := q.spend(clientNumber(1), 60, 0, 0, now); left != 60 || full != 0 {
		t.Errorf("of 100 with a quota of 60: %d left, full after %s", left, full)
	}
	now = now.Add(30 * time.Second)
	q.spend(clientNumber(1), 60, 60, 60, now)
	if left, full, _ := q.spend(clientNumber(1), 6_000, 0, 0, now.Add(time.Second)); left != 1 || full.Round(time.Second) != 60*time.Second {
		t.Errorf("a second after all was spent: %d left, full after %s", left, full)
	}
}
