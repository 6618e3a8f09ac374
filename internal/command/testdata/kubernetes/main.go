// Kubernetes reads a manifest with the types of Kubernetes' API, and prints the kinds of its objects.
// It fails if a field is unknown, has another type or is given twice, or if objects do not fit.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"slices"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var m manifest
	for i, document := range bytes.Split(text, []byte("\n---\n")) {
		if err := m.add(document); err != nil {
			log.Fatalf("object %d: %v", i+1, err)
		}
	}
	if err := m.check(); err != nil {
		log.Fatal(err)
	}
}

// manifest is the objects of a manifest.
type manifest struct {
	secret      core.Secret
	service     core.Service
	budget      policy.PodDisruptionBudget
	deployments []*apps.Deployment
}

// add reads an object.
func (m *manifest) add(document []byte) error {
	var kind meta.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return err
	}
	deployment := new(apps.Deployment)
	object := map[meta.TypeMeta]any{
		{APIVersion: "v1", Kind: "Secret"}:                     &m.secret,
		{APIVersion: "v1", Kind: "Service"}:                    &m.service,
		{APIVersion: "apps/v1", Kind: "Deployment"}:            deployment,
		{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}: &m.budget,
	}[kind]
	if object == nil {
		return fmt.Errorf("unknown kind %s of %s", kind.Kind, kind.APIVersion)
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return fmt.Errorf("%s: %w", kind.Kind, err)
	}
	if object == deployment {
		m.deployments = append(m.deployments, deployment)
	}
	fmt.Println(kind.Kind)
	return nil
}

// check compares the objects with each other: selectors with labels, ports with names, variables
// and files with the secret.
func (m *manifest) check() error {
	served, spared := 0, 0
	for _, d := range m.deployments {
		template := labels.Set(d.Spec.Template.Labels)
		own, err := meta.LabelSelectorAsSelector(d.Spec.Selector)
		if err != nil || !own.Matches(template) {
			return fmt.Errorf("%s: the selector does not match its pods: %w", d.Name, err)
		}
		budget, err := meta.LabelSelectorAsSelector(m.budget.Spec.Selector)
		if err != nil {
			return err
		}
		if budget.Matches(template) {
			spared++
		}
		if labels.SelectorFromSet(m.service.Spec.Selector).Matches(template) {
			served++
		}
		c := d.Spec.Template.Spec.Containers[0]
		ports := []string{}
		for _, p := range c.Ports {
			ports = append(ports, p.Name)
		}
		for _, p := range []*core.Probe{c.LivenessProbe, c.ReadinessProbe} {
			if p != nil && !slices.Contains(ports, p.HTTPGet.Port.StrVal) {
				return fmt.Errorf("%s: a probe of an unknown port", d.Name)
			}
		}
		for _, mount := range c.VolumeMounts {
			volume := slices.IndexFunc(d.Spec.Template.Spec.Volumes, func(v core.Volume) bool { return v.Name == mount.Name })
			if volume < 0 {
				return fmt.Errorf("%s: no volume %s", d.Name, mount.Name)
			}
			secret := d.Spec.Template.Spec.Volumes[volume].Secret
			for _, item := range secret.Items {
				if secret.SecretName != m.secret.Name || m.secret.StringData[item.Key] == "" {
					return fmt.Errorf("%s: %s is not in the secret", d.Name, item.Path)
				}
			}
		}
		for _, v := range c.Env {
			if v.ValueFrom == nil {
				continue
			}
			if ref := v.ValueFrom.SecretKeyRef; ref.Name != m.secret.Name || m.secret.StringData[ref.Key] == "" {
				return fmt.Errorf("%s: %s is not in the secret", d.Name, v.Name)
			}
		}
	}
	if served != 1 || spared != 1 {
		return fmt.Errorf("the service selects %d deployments and the budget %d, want one each", served, spared)
	}
	return nil
}
