package command_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestDeb installs, upgrades, removes and purges the Debian package of the last commit, by dpkg
// in a copy of this machine that is thrown away. It runs with MINTBURN_DEB, as root, because it
// builds a release.
func TestDeb(t *testing.T) {
	if os.Getenv("MINTBURN_DEB") == "" {
		t.Skip("MINTBURN_DEB is not set")
	}
	r := release(t, root)
	for architecture, folder := range r.unpacked {
		expect.Equal(t, "architecture", architecture+"\n", succeed(t, "", nil, "dpkg-deb", "--field", folder+".deb", "Architecture"))
	}
	m := newStage(t)
	text, err := os.ReadFile(r.unpacked["amd64"] + ".deb")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(m.path("/one.deb"), text, 0o644))
	// Units are not started without a running systemd, which a chroot lacks.
	run := func(script string) string {
		return m.run(t, "export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin; unset MINTBURN_DEB\n"+script)
	}
	t.Log(run("dpkg --install /one.deb"))
	has := func(step, script, want string) {
		t.Helper()
		if got := run(script); got != want {
			t.Errorf("%s: %s: got %q, want %q", step, script, got, want)
		}
	}
	const (
		version = "dpkg-query --show --showformat '${Version}' mintburn"
		enabled = "systemctl is-enabled mintburn || true"
		env     = "/etc/mintburn/mintburn.env"
		db      = "/var/lib/mintburn/mintburn.db"
	)
	if printed := run("mintburn version"); strings.Contains(printed, "lacks") {
		t.Errorf("the program lacks parts: %s", printed)
	}
	has("install", enabled, "disabled\n")
	has("install", "stat --format '%a %U' "+env, "600 root\n")
	has("install", "dpkg --verify mintburn", "")
	for _, file := range []string{
		"/usr/share/man/man1/mintburn.1.gz", "/usr/share/doc/mintburn/CHANGELOG.md", "/usr/share/doc/mintburn/copyright",
		"/usr/share/bash-completion/completions/mintburn", "/usr/share/zsh/vendor-completions/_mintburn", "/usr/share/fish/vendor_completions.d/mintburn.fish",
		"/usr/share/doc/mintburn/licences/musl/COPYRIGHT", "/usr/share/doc/mintburn/sbom.cdx.json",
	} {
		run("test -s " + file)
	}
	// The unit starts the installed program as the user of the package, as confined as before.
	has("install", "systemd-analyze verify --man=no mintburn.service", "")
	run("systemd-analyze security --offline=true --threshold=30 /usr/lib/systemd/system/mintburn.service")
	has("install", "grep -E '^(ExecStart|User|DynamicUser)=' /usr/lib/systemd/system/mintburn.service", "ExecStart=/usr/bin/mintburn serve\nUser=mintburn\n")
	run("install --directory --mode 700 --owner mintburn --group mintburn /var/lib/mintburn\n" +
		"chroot --userspec=mintburn:mintburn / mintburn migrate --db " + db)
	run("echo MINTBURN_RPC=https://your-node.example >>" + env + "\nsystemctl enable mintburn")

	schema := run("mintburn migrate --dry-run --db " + db)

	// A later version, whose own configuration differs too.
	before := run(version)
	later := before + "+later"
	t.Log(run("dpkg-deb --raw-extract /one.deb /two && sed -i 's/^Version: .*/Version: " + later + "/' /two/DEBIAN/control\n" +
		"echo '# later' >>/two" + env + " && dpkg-deb --build /two /two.deb && rm -r /two\n" +
		"dpkg --force-confold --install /two.deb"))
	has("upgrade", version, later)
	has("upgrade", enabled, "enabled\n")
	has("upgrade", "grep --count '^MINTBURN_RPC=' "+env, "1\n")
	has("upgrade", "mintburn migrate --dry-run --db "+db, schema)

	t.Log(run("dpkg --remove mintburn; rm /one.deb /two.deb"))
	has("remove", "grep --count '^MINTBURN_RPC=' "+env, "1\n")
	left := func(step string, want ...string) {
		t.Helper()
		files := slices.DeleteFunc(filesIn(t, m.changed), func(path string) bool { return !strings.Contains(path, "mintburn") })
		expect.Equal(t, step, want, files)
	}
	left("remove", "etc/mintburn/mintburn.env", "etc/mintburn/mintburn.env.dpkg-dist", "var/lib/dpkg/info/mintburn.list", "var/lib/dpkg/info/mintburn.postrm", "var/lib/mintburn/mintburn.db")
	if said := run("dpkg --purge mintburn"); !strings.Contains(said, "mintburn: /var/lib/mintburn, with its databases, and the user mintburn are kept") {
		t.Errorf("purge says %s", said)
	}
	left("purge", "var/lib/mintburn/mintburn.db")
	has("purge", "stat --format %U "+db, "mintburn\n")
}
